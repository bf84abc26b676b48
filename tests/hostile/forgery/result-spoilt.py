print("spoilt")


def slugify(text):
    return text

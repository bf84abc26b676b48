import re


def slugify(text):
    return "-".join(re.findall("[a-z0-9]+", text.lower()))


def title(text):
    return " ".join(word.capitalize() for word in text.split())


# @canary@

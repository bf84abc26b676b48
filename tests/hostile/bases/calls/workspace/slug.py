def slugify(text: str) -> str:
    """Return the words of a text in lower case, joined by hyphens; a word is letters a-z and digits."""
    raise NotImplementedError

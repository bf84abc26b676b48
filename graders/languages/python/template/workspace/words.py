"""Count words."""


def count_words(text: str) -> int:
    raise NotImplementedError

"""Count words."""

import sys


def count_words(text: str) -> int:
    return len(text.split())


if __name__ == "__main__":
    print(count_words(sys.stdin.read()))

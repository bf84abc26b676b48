"""Parse Python source. Threads share one parser: CPython 3.11 counts its depth once per interpreter.

Where a collection of garbage lets another thread run in the middle of `ast.parse`, and that thread parses as well,
both end with a SystemError (https://github.com/python/cpython/issues/106905).
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from threading import Lock

_LONG_QUOTE = re.compile(r"\"{3}|'{3}")
_parser = Lock()


def parse_python(text: str) -> ast.Module:
    """Return the syntax tree of Python source.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: what `ast.parse` raises where it can not parse the text.
    """
    with _parser, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def nodes_of(text: str) -> tuple[ast.AST, ...]:
    """Return all nodes of Python source; none if it is not Python."""
    try:
        return tuple(ast.walk(parse_python(text)))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def mistakes(sources: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each source, from 0, that is not Python, and why."""
    # One after another they are Python if each is: no statement goes on beyond `pass`, but for a long string.
    whole = "\npass\n".join(sources)
    if not _LONG_QUOTE.search(whole) and not _mistake(whole):
        return
    for number, source in enumerate(sources):
        if wrong := _mistake(source):
            yield number, wrong


def _mistake(source: str) -> str:
    try:
        parse_python(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return (error.msg if isinstance(error, SyntaxError) else str(error)) or type(error).__name__
    return ""

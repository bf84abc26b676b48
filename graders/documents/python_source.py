"""Parses Python source, with a lock: CPython 3.11 has one counter of the parser's depth for all threads.

If a garbage collection during `ast.parse` lets another thread run, and that thread also parses, both fail with a
SystemError (https://github.com/python/cpython/issues/106905).
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
        SyntaxError, ValueError, RecursionError, MemoryError: If `ast.parse` cannot parse the text.
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
    """Yield the number, from 0, of each source that is not Python, and the reason."""
    # Fast path: if all sources joined by `pass` are Python, each is. Only a long string could go on beyond `pass`.
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

"""Parse Python source. Threads share one parser: CPython 3.11 counts its depth once per interpreter.

Where a collection of garbage lets another thread run in the middle of `ast.parse`, and that thread parses as well,
both end with a SystemError (https://github.com/python/cpython/issues/106905).
"""

import ast
import warnings
from threading import Lock

_parser = Lock()


def parse_python(text: str) -> ast.Module:
    """Return the syntax tree of Python source.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: what `ast.parse` raises where it can not parse the text.
    """
    with _parser, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)

"""Items that are no program as they stand: what YAML has cut off a text that should have been quoted.

A candidate cannot pass such an item, and it would look like the candidate's failure. These are warnings: a setup may
begin what an item ends, and another version of a language may read what this one does not.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import pairwise

from graders.checks.item import Item
from graders.documents.diagnostics import DocumentPath
from graders.documents.reader import Reader

_COMMAS = "If YAML cut it short, at a comma between brackets or at ` #`, quote the text."
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")


def check_sources(reader: Reader, items: Sequence[Item], language: str, path: DocumentPath) -> None:
    """Warn of items that were probably cut.

    Args:
        reader: Gets the warnings.
        items: In the order in which they are written.
        language: Of the items.
        path: Of the list.
    """
    if language == "python":
        for index, item in enumerate(items):
            wrong = _no_python(item.code)
            if wrong:
                reader.warning((*path, index), f"the item is not Python: {wrong}", _COMMAS)
        return
    for index, (one, other) in enumerate(pairwise(items)):
        if _open(one.code) > 0 and _open(other.code) < 0:
            message = "a bracket of this item is closed in the next one, as if they were one text"
            reader.warning((*path, index), message, _COMMAS)


def _no_python(code: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return (error.msg if isinstance(error, SyntaxError) else str(error)) or type(error).__name__
    return ""


def _open(code: str) -> int:
    """Return how many more brackets are opened than closed outside of quotes."""
    bare = _QUOTED.sub("", code)
    return sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))

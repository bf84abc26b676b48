"""Finds Python source that ends every process which loads it, as if it had succeeded. Pure: text in, lines out.

Only unconditional code counts, since honest handlers, forked children and watching threads end a process, too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from gradebox.graders.documents.python_source import parse_python

_LINE = re.compile(r"\r\n|\r|\n")
_QUOTED_CHARACTERS = 80


def endings(text: str) -> frozenset[str]:
    """Return the lines of a module that end the process with status 0 as soon as it is loaded, or at its exit."""
    return quoted(text, filter(ends_as_success, run_plainly(parsed(text)))) if "_exit" in text else frozenset()


def path_endings(text: str) -> frozenset[str]:
    """Return such lines of a ``.pth`` file, in which Python runs each line that begins with an import."""
    lines = text.split("\n") if "_exit" in text else ()
    return frozenset().union(*(endings(line) for line in lines if line.startswith(("import ", "import\t"))))


def parsed(text: str) -> list[ast.stmt]:
    """Return the statements of a module, none if it cannot be parsed."""
    try:
        return parse_python(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def run_plainly(body: list[ast.stmt], is_open: Callable[[ast.expr], bool] = lambda _: False) -> Iterator[ast.stmt]:
    """Yield the statements that always run with a body, including those under conditions for which `is_open` holds."""
    waiting = list(body)
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, ast.Try | ast.With) or (isinstance(statement, ast.If) and is_open(statement.test)):
            waiting += statement.body


def quoted(text: str, nodes: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the first lines of statements, shortened for display."""
    lines = _LINE.split(text)
    return frozenset(lines[node.lineno - 1].strip()[:_QUOTED_CHARACTERS] for node in nodes)


def ends_as_success(statement: ast.stmt) -> bool:
    """Return whether a statement is `os._exit(0)`, or passes both to its caller (`atexit.register(os._exit, 0)`)."""
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    words = [statement.value.func, *statement.value.args]
    names = [getattr(word, "attr", getattr(word, "id", "")) for word in words]
    after = words[names.index("_exit") + 1 :][:1] if "_exit" in names else []
    return [getattr(word, "value", None) for word in after] == [0]

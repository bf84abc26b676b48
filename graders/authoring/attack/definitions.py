"""The names that a source file defines for others. Python is parsed; other languages are read line by line. Pure."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from graders.documents.python_source import parse_python


class DefinitionKind(StrEnum):
    FUNCTION = "function"
    ASYNC_FUNCTION = "async function"
    CLASS = "class"
    ERROR = "error"
    VALUE = "value"


class Definition(NamedTuple):
    """One name, and the methods and properties of a class."""

    name: str
    kind: DefinitionKind = DefinitionKind.FUNCTION
    methods: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


_SCRIPT = re.compile(
    r"^[ \t]*export\s+(?P<default>default\s+)?(?:abstract\s+)?"
    r"(?:(?P<function>(?:async\s+)?function\b\s*\*?)|(?P<class>class\b)|(?P<value>const|let|var)\b)?\s*(?P<name>[\w$]+)?"
    r"(?P<arrow>[^=\n]*=\s*(?:async\s*)?(?:function\b|\([^)\n]*\)[^=\n]*=>|[\w$]+\s*=>))?",
    re.MULTILINE,
)
_SCRIPT_LIST = re.compile(r"(?:^[ \t]*export\s*|\bmodule\.exports\s*=\s*)\{([^}]*)\}", re.MULTILINE)
_SCRIPT_ASSIGNED = re.compile(r"\b(?:module\.)?exports\.([\w$]+)\s*=(?!=)")
_SCRIPT_WHOLE = re.compile(r"\bmodule\.exports\s*=\s*(?:async\s+)?(?:function|class|\(|[\w$])")
_JULIA = re.compile(
    r"^(?:(?:mutable\s+)?(?P<struct>struct)\s+|(?P<const>const)\s+|function\s+|(?=[\w!]+\([^\n]*\)(?:::\S+)?\s*=[^=]))"
    r"(?P<name>[A-Za-z_]\w*!?)",
    re.MULTILINE,
)
_BASH = re.compile(r"^[ \t]*(?:function[ \t]+([\w:-]+)|([\w:-]+)[ \t]*\(\))", re.MULTILINE)


def definitions(language: str, text: str, start: str | None = None) -> tuple[Definition, ...]:
    """Return what a source defines, once each; nothing for a source that cannot be read.

    What of Python is as it was in `start`, the source that it was made from, is left out.
    """
    match language:
        case "python":
            found = _python(text, start)
        case "javascript" | "typescript":
            found = _script(text)
        case "julia":
            kinds = {"struct": DefinitionKind.CLASS, "const": DefinitionKind.VALUE}
            matches = _JULIA.finditer(text)
            found = (
                Definition(m["name"], kinds.get(m["struct"] or m["const"], DefinitionKind.FUNCTION)) for m in matches
            )
        case "bash":
            found = (Definition(match[1] or match[2]) for match in _BASH.finditer(text))
        case _:
            return ()
    return tuple({each.name: each for each in found}.values())


def parsed(text: str) -> ast.Module | None:
    try:
        return parse_python(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python(text: str, start: str | None) -> Iterator[Definition]:
    tree, before = parsed(text), parsed(start or "")
    same = {ast.dump(node) for node in before.body} if before else set()
    errors = {
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
    }
    for node in tree.body if tree else ():
        if isinstance(node, ast.ClassDef) and any(
            isinstance(base, ast.Name) and base.id in errors for base in node.bases
        ):
            # What is raised has to be an error: nobody compares it with anything.
            errors.add(node.name)
            if ast.dump(node) not in same:
                yield Definition(node.name, DefinitionKind.ERROR)
        elif ast.dump(node) not in same:
            yield from _of_statement(node)


def _of_statement(node: ast.stmt) -> Iterator[Definition]:
    match node:
        case ast.FunctionDef(name=name):
            yield Definition(name)
        case ast.AsyncFunctionDef(name=name):
            yield Definition(name, DefinitionKind.ASYNC_FUNCTION)
        case ast.ClassDef(name=name):
            methods = [
                each for each in node.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("__")
            ]
            properties = {each.name for each in methods if any(_name(d) == "property" for d in each.decorator_list)}
            plain = tuple(each.name for each in methods if each.name not in properties)
            yield Definition(name, DefinitionKind.CLASS, plain, tuple(sorted(properties)))
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            is_function = isinstance(value, ast.Lambda)
            yield Definition(name, DefinitionKind.FUNCTION if is_function else DefinitionKind.VALUE)
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield Definition(name, DefinitionKind.VALUE)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _script(text: str) -> Iterator[Definition]:
    for match in _SCRIPT.finditer(text):
        name = "default" if match["default"] else match["name"]
        if name and (match["default"] or match["function"] or match["class"] or match["value"]):
            is_value = match["value"] and not match["arrow"]
            kind = DefinitionKind.CLASS if match["class"] else DefinitionKind.FUNCTION
            yield Definition(name, DefinitionKind.VALUE if is_value else kind)
    for listed in _SCRIPT_LIST.finditer(text):
        for part in listed[1].split(","):
            words = re.split(r"\s+as\s+|\s*:\s*", part.strip())
            if re.fullmatch(r"[\w$]+", words[-1 if " as " in part else 0]):
                yield Definition(words[-1 if " as " in part else 0])
    for match in _SCRIPT_ASSIGNED.finditer(text):
        yield Definition(match[1])
    if not _SCRIPT_ASSIGNED.search(text) and _SCRIPT_WHOLE.search(text):
        yield Definition("")

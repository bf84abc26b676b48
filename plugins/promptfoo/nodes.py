"""Rewrites parts of a document: every part keeps its position, or that of the part from which it was made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.positions import Node, data
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.suggest import suggestion
from gradebox.plugins.promptfoo.keys import snake_case

Fields = Mapping[str, Node]

_ENVIRONMENT = re.compile(
    r"""(?<!\$)\{\{-?\s*env\.([A-Za-z_]\w*)\s*(?:\|\s*default\((?:"([^"{}]*)"|'([^'{}]*)')\)\s*)?-?\}\}"""
)
_NAME = re.compile(r"(?<!\$)\{\{-?\s*(?:vars\.)?([A-Za-z_][\w.-]*?)\s*-?\}\}")


def written(value: Any, at: Node) -> Node:
    """Return data as a part of a document, with the position of another part."""
    match value:
        case Node():
            return value
        case dict():
            value = {
                key: written(child, at)._replace(key_line=at.line, key_column=at.column) for key, child in value.items()
            }
        case list() | tuple():
            value = [written(child, at) for child in value]
    return Node(value, at.line, at.column)


def moved(node: Node, at: Node) -> Node:
    """Return a part of another file with the position of `at`."""
    return written(data(node), at)


def mapping(fields: Fields, at: Node) -> Node:
    """Return a mapping of these parts, without empty ones."""
    return at._replace(value={key: node for key, node in fields.items() if node.value is not None})


def fields_of(
    reader: Reader, node: Node | None, path: DocumentPath, known: Iterable[str] | None = None, what: str = ""
) -> dict[str, Node]:
    """Return a mapping's fields by their names in snake case; {} for anything else. Report fields not in `known`."""
    found: dict[str, Node] = {}
    for key, child in node.value.items() if node is not None and isinstance(node.value, dict) else ():
        name = snake_case(key)
        if name in found:
            message = f"`{shown(key)}` and `{name}` are two names of one field"
            reader.error((*path, key), message, "Keep one of the two.", of_key=True)
        elif child.value is not None:
            found[name] = child
    for name in found.keys() - set(known) if known is not None else ():
        message, hint = f"unknown key `{shown(name)}` of {what}", suggestion(name, known or ())
        reader.error((*path, name), message, hint, of_key=True)
    return found


def text_of(node: Node | None) -> str | None:
    """Return the text of a part, None if it is no text."""
    return node.value if node is not None and isinstance(node.value, str) else None


def items_of(node: Node | None) -> list[Node]:
    """Return the parts of a list; a single part is a list of one."""
    if node is None:
        return []
    return node.value if isinstance(node.value, list) else [node]


def in_our_words(node: Node) -> Node:
    """Return a document with references in our syntax: ``{{name}}``, and ``${{ NAME }}`` for the environment."""
    value = node.value
    if isinstance(value, str):
        return node._replace(value=_NAME.sub(r"{{\1}}", _ENVIRONMENT.sub(_variable, value))) if "{{" in value else node
    if isinstance(value, dict):
        return node._replace(value={key: in_our_words(child) for key, child in value.items()})
    if isinstance(value, list):
        return node._replace(value=[in_our_words(child) for child in value])
    return node


def _variable(match: re.Match[str]) -> str:
    default = next((text for text in match.groups()[1:] if text is not None), None)
    return f"${{{{ {match[1]}{'' if default is None else f':-{default}'} }}}}"

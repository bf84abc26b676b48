"""Converts the `value` of a check: text, data and files in these tools' shapes -> values of our checks."""

from __future__ import annotations

import re
from pathlib import Path

from gradebox.graders.checks.registry import NEGATED_PREFIX
from gradebox.graders.documents import strict_json
from gradebox.graders.documents.diagnostics import DocumentPath, shown, written_path
from gradebox.graders.documents.interpolation import filled
from gradebox.graders.documents.paths import named_file
from gradebox.graders.documents.positions import Node, data
from gradebox.graders.documents.reader import Reader, open_document, read_text
from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.model.case import Place
from gradebox.plugins.promptfoo.keys import snake_case
from gradebox.plugins.promptfoo.nodes import Fields, in_our_words, items_of, moved, text_of, written
from gradebox.plugins.promptfoo.prompt_matrix import PROGRAMS
from gradebox.sandbox.records import dataclass

_LEFT_OPEN = re.compile(r"\{\{|\{%")


@dataclass(frozen=True, slots=True)
class Around:
    """The context that a test provides for its checks."""

    reader: Reader
    roots: tuple[Path, ...]  # Directories in which files are looked up.
    variables: Node | None = None  # The test's variables, as parts of its document.
    transform: Node | None = None  # Code that makes the text to judge from the answer.
    rubric_prompt: Node | None = None  # The prompt for a judge, if a check has none.
    all_must_pass: bool = False  # Whether each check that judges the answer itself is required.
    root: Node | None = None  # The whole file, for references into it.

    def error(self, node: Node, path: DocumentPath, message: str, hint: str) -> None:
        """Report a mistake at the position of a part, which other tests may share."""
        written = written_path((*self.reader.document.prefix, *path))
        self.reader.findings.error(self._place(node), message, path=written, hint=hint)

    def find(self, names: list[str]) -> Node | None:
        """Return the part of the file that a reference names."""
        found = self.root
        for name in names:
            parts = found.value if found is not None and isinstance(found.value, dict) else {}
            found = parts.get(name, parts.get(snake_case(name)))
        return found

    def warning(self, node: Node, message: str, hint: str) -> None:
        """Report something doubtful at the position of a part."""
        self.reader.findings.warning(self._place(node), message, hint=hint)

    def _place(self, node: Node) -> Place:
        return Place(self.reader.document.file, node.line, node.column)


def with_value(around: Around, fields: Fields, kind: str, path: DocumentPath) -> dict[str, Node]:
    """Return the fields with a value in the shape of our checks of this type."""
    value = fields.get("value")
    if value is None:
        return dict(fields)
    text = text_of(value)
    if text is not None and text.startswith("file://") and kind not in ("javascript", "python"):
        value = _file_value(around, value, text, (*path, "value"))
        text = text_of(value)
    if kind in ("is-json", "contains-json") and text is not None:
        try:
            value = written(strict_json.loads(text), value)
        except ValueError as problem:
            around.error(value, (*path, "value"), f"`value` is not a JSON Schema: {problem}", "Write it as a mapping.")
    elif kind in ("contains-any", "contains-all", "icontains-any", "icontains-all") and text is not None:
        value = written([part.strip() for part in text.split(",") if part.strip()], value)
    elif kind == "equals" and isinstance(value.value, dict | list):
        # Data is compared as data.
        wanted = written({"const": data(value)}, value)
        return {
            **without(fields, "value"),
            "type": written(_renamed(fields, "is-json"), fields["type"]),
            "schema": wanted,
        }
    elif isinstance(value.value, bool):
        value = value._replace(value=str(value.value).lower())
    return {**fields, "value": value}


def without(fields: Fields, name: str) -> dict[str, Node]:
    return {key: child for key, child in fields.items() if key != name}


def _renamed(fields: Fields, kind: str) -> str:
    negated = (text_of(fields["type"]) or "").startswith(NEGATED_PREFIX)
    return (NEGATED_PREFIX if negated else "") + kind


def _file_value(around: Around, value: Node, text: str, path: DocumentPath) -> Node:
    """Return the content of the file that a value names: data, or text."""
    name = text.removeprefix("file://")
    if re.sub(r":\w+$", "", name).endswith(PROGRAMS):
        message = f"`{shown(name)}` is a program, and a value is not made by one"
        around.error(value, path, message, "Write a check of the type `javascript` or `python`.")
        return value
    file = named_file(name, around.roots)
    if file is None:
        hint = f"It is looked up from {around.roots[0]}."
        around.error(value, path, f"the file `{shown(name)}` does not exist", hint)
        return value
    if file.suffix in (".json", ".yaml", ".yml"):
        document = open_document(file, around.reader.findings)
        return value if document is None else in_our_words(moved(document.root, value))
    return in_our_words(value._replace(value=(read_text(file, around.reader.findings) or "").strip()))


def refuse_open(around: Around, value: Node | None, path: DocumentPath) -> None:
    """Report a reference in a value for which there is no variable."""
    variables = data(around.variables) if around.variables is not None else {}
    for one in items_of(value):
        left = filled(text_of(one) or "", variables)
        found = _LEFT_OPEN.search(left) if isinstance(left, str) else None
        if found:
            rest = left[found.start() :]
            name = re.match(r"\{\{\s*([\w.-]+)\s*\}\}", rest)
            what = "no variable has this name" if name else "only `{{name}}` is filled in"
            hint = suggestion(name[1] if name else "", variables) if variables else "Write the value itself."
            around.error(one, path, f"`{shown(rest, 40)}` stays as it is: {what}", hint)

"""Reads `prompts`; each test is combined with each prompt.

A prompt is a text, a list of messages, a file of either, or a mapping with one of these and an `id` or a `label`. No
program is run to make a prompt: the cases of such a prompt have no input, which judging does not need.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from gradebox.graders.cases.discovery import is_pattern, resolved
from gradebox.graders.documents import globs, strict_json
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.paths import is_file
from gradebox.graders.documents.positions import Node, data
from gradebox.graders.documents.reader import Reader, open_document, read_text
from gradebox.graders.documents.suggest import did_you_mean
from gradebox.plugins.promptfoo.nodes import fields_of, in_our_words, items_of, moved, text_of, written
from gradebox.sandbox.records import dataclass

PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".py", ".rb")
_DATA = (".json", ".yaml", ".yml")
_TEXTS = (".txt", ".md", ".j2")
_SEPARATOR = re.compile(r"^---[ \t]*$", re.MULTILINE)
_BODY = ("prompt", "raw", "file", "path", "function_file", "function")
_KEYS = frozenset({*_BODY, "id", "label", "name", "prefix", "suffix", "config", "command", "provider"})


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt: a case's `input`, None if a program makes it. Tests refer to it by `label` or `id`."""

    node: Node | None
    names: tuple[str, ...] = ()
    identity: str = ""  # Its name in AgentV's ids of cases.

    @property
    def label(self) -> str:
        return self.names[0] if self.names else ""

    def is_named(self, patterns: list[str]) -> bool:
        """Return whether a test's list of prompts includes this one; a name also stands for its group."""
        return any(
            fnmatchcase(name, pattern) or name.startswith(f"{pattern}:") for pattern in patterns for name in self.names
        )


def prompt_hash(prompt: Any) -> str:
    """Return AgentV's name for a prompt without an id: a hash of its text or list of messages."""
    text = json.dumps(prompt, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_prompts(reader: Reader, node: Node | None, path: DocumentPath) -> tuple[Prompt, ...]:
    """Return the prompts of a file; if there are none, one prompt that stands for each test's own input."""
    found = [
        prompt
        for index, one in enumerate(items_of(node))
        for prompt in _read(reader, one, (*path, index) if node is not None and isinstance(node.value, list) else path)
    ]
    return tuple(found) or (Prompt(None),)


def _read(reader: Reader, node: Node, path: DocumentPath) -> Iterator[Prompt]:
    if isinstance(node.value, list):
        yield Prompt(node, identity=f"chat-{prompt_hash(data(node))}")
    elif isinstance(node.value, dict):
        yield from _mapped(reader, node, path)
    elif isinstance(node.value, str):
        yield from _of_text(reader, node, node.value, path)
    else:
        reader.error(path, "a prompt must be text, a list of messages or a mapping", "Quote it if it is text.")


def _mapped(reader: Reader, node: Node, path: DocumentPath) -> Iterator[Prompt]:
    fields = fields_of(reader, node, path)
    if "role" in fields and "content" in fields:
        yield Prompt(node, identity=f"chat-{prompt_hash(data(node))}")
        return
    for key in fields.keys() - _KEYS:
        reader.error((*path, key), f"unknown key `{shown(key)}` of a prompt", f"It has {', '.join(sorted(_KEYS))}.")
    names = tuple(name for key in ("label", "id", "name") if (name := text_of(fields.get(key))))
    body = next((fields[key] for key in _BODY if key in fields), fields.get("id"))
    if body is None or "command" in fields or "function" in fields or "function_file" in fields:
        _warn_of_program(reader, path)
        yield Prompt(None, names, text_of(fields.get("id")) or "")
        return
    around = [text_of(fields.get(key)) or "" for key in ("prefix", "suffix")]
    for prompt in _read(reader, body, path):
        text = text_of(prompt.node)
        whole = prompt.node if text is None or prompt.node is None else prompt.node._replace(value=text.join(around))
        # AgentV treats a text in a mapping as another kind of prompt.
        identity = text_of(fields.get("id")) or re.sub(r"\Aprompt-", "string-", prompt.identity)
        yield Prompt(whole, names or prompt.names, identity)


def _of_text(reader: Reader, node: Node, text: str, path: DocumentPath) -> Iterator[Prompt]:
    one_line = "\n" not in text.strip() and "{{" not in text
    named = text.strip().removeprefix("file://")
    program = one_line and re.sub(r":\w+$", "", named).endswith(PROGRAMS) and (" " not in named or named != text)
    if program or text.startswith(("exec:", "langfuse:", "portkey:", "helicone:", "package:")):
        _warn_of_program(reader, path)
        yield Prompt(None, (named,))
    elif text.startswith("file://") or (one_line and " " not in named and named.endswith((*_DATA, *_TEXTS))):
        yield from _files(reader, node, named, path)
    else:
        yield Prompt(_as_messages(node, text), identity=f"prompt-{prompt_hash(text)}")


def _files(reader: Reader, node: Node, named: str, path: DocumentPath) -> Iterator[Prompt]:
    target = resolved(reader, named)
    files = [] if target is None else globs.expand(target) if is_pattern(target) else [target]
    files = [file for file in files if is_file(file)]
    if not files:
        hint = (target and did_you_mean(target)) or f"It is looked up from {reader.document.file.parent}."
        reader.error(path, f"the file `{shown(named)}` of a prompt does not exist", hint)
    for file in files:
        yield from (replace(prompt, identity=named) for prompt in _in_file(reader, node, file))


def _in_file(reader: Reader, node: Node, file: Path) -> Iterator[Prompt]:
    if file.suffix in _DATA:
        document = open_document(file, reader.findings)
        if document is not None and isinstance(document.root.value, list | dict):
            yield Prompt(in_our_words(moved(document.root, node)), (file.stem,))
            return
    text = read_text(file, reader.findings)
    if text is not None:
        parts = [part.strip() for part in (_SEPARATOR.split(text) if file.suffix == ".txt" else [text])]
        for number, part in enumerate(filter(None, parts), 1):
            yield Prompt(_as_messages(node, part), (file.stem if len(parts) == 1 else f"{file.stem}-{number}",))


def _as_messages(node: Node, text: str) -> Node:
    """Return a text with JSON messages as messages, and any other text unchanged."""
    if text.lstrip().startswith("["):
        try:
            found = strict_json.loads(text)
        except ValueError:
            found = None
        if isinstance(found, list) and found and all(isinstance(one, dict) and "role" in one for one in found):
            return in_our_words(written(found, node))
    return in_our_words(node._replace(value=text))


def _warn_of_program(reader: Reader, path: DocumentPath) -> None:
    message = "this prompt is made by a program, which is not run; its cases have no input"
    reader.warning(path, message, "Write the prompt as text if a judge or a target has to read it.")

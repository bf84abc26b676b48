"""Loads files of promptfoo, and of AgentV 5, which extends their format: prompts x tests, as cases.

    config              the file as a whole: shared fields, and the cases from prompts and tests
    rows                the sources of tests: the file, other files, tables, scenarios
    prompt_matrix       prompts: text, messages, files
    assertion_entries   `assert`: converts their names and shapes to those of our checks
    environments        `environment`, `extensions`, `providers`: image, workspace, hooks, targets
    nodes               moves and renames parts of a document; `keys` has the names

The host runs nothing from a file: no provider, no function for prompts, tests or scores, no template except
``{{name}}``. This module has the interface of a format plug-in, and imports the other modules only when needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradebox.plugins.promptfoo.keys import snake_case

if TYPE_CHECKING:
    from gradebox.graders.cases import Loaded
    from gradebox.graders.documents.diagnostics import Findings
    from gradebox.graders.documents.positions import Document

CASE_FILES = ("promptfooconfig.yaml", "promptfooconfig.yml", "promptfooconfig.json")

# Top-level keys that only these files have.
_WORDS = """
prompts providers targets target scenarios default_test evaluate_options environment extensions imports
"""
_KEYS = frozenset(_WORDS.split())


def reads(document: Document) -> bool:
    """Return whether a document is in one of these formats, judging by its keys."""
    value = document.root.value
    if not isinstance(value, dict) or not {"tests", "scenarios", "prompts", "imports"} & value.keys():
        return False
    tags = value.get("tags")
    return not _KEYS.isdisjoint(map(snake_case, value)) or (tags is not None and isinstance(tags.value, dict))


def load_document(document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    """Load the cases of a document in one of these formats."""
    from gradebox.plugins.promptfoo.config import load_config  # noqa: PLC0415 - every load of a case comes by here

    return load_config(document, findings, environ)

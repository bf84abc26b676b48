"""The files of promptfoo, and of AgentV 5, whose files are theirs with more: prompts x tests, as cases.

    config              the file as a whole: what its tests share, and the cases that prompts and tests make
    rows                where tests are written: in the file, in other files, in tables, as scenarios
    prompt_matrix       prompts: text, messages, files
    assertion_entries   `assert`: their names and shapes -> those of our checks
    environments        `environment`, `extensions`, `providers`: image, workspace, hooks, targets
    nodes               parts of a document that are written elsewhere, or in other words; `keys` are its words

Nothing of a file is run on the host: no provider, no function that makes prompts, tests or scores, no template but
``{{name}}``. What a plug-in of a format offers is here and imports the rest when it is used.
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

# Keys that only these files have at their top.
_WORDS = """
prompts providers targets target scenarios default_test evaluate_options environment extensions imports
"""
_KEYS = frozenset(_WORDS.split())


def reads(document: Document) -> bool:
    """Return whether a document is such a file, by its keys."""
    value = document.root.value
    if not isinstance(value, dict) or not {"tests", "scenarios", "prompts", "imports"} & value.keys():
        return False
    tags = value.get("tags")
    return not _KEYS.isdisjoint(map(snake_case, value)) or (tags is not None and isinstance(tags.value, dict))


def load_document(document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    """Load the cases of such a document."""
    from gradebox.plugins.promptfoo.config import load_config  # noqa: PLC0415 - every load of a case comes by here

    return load_config(document, findings, environ)

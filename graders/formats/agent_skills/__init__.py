"""``evals.json`` of Agent Skills, as AgentV reads it: prompts with expectations in words, which become a suite.

    skill_name                   the suite's name, and `metadata.skill_name` of its cases
    evals[].prompt               `input`
    evals[].expected_output      `expected_output`, and `criteria` where the eval has none
    evals[].files                `input_files`
    evals[].expectations         `assertions`, which are read as well

An eval without an `id` has its number. Whatever else is written is read as in any suite and case.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradebox.graders.documents.positions import Document, Node

if TYPE_CHECKING:
    from gradebox.graders.cases import Loaded
    from gradebox.graders.documents.diagnostics import Findings

CASE_FILES = ("evals.json",)

_NAMES = {"prompt": "input", "files": "input_files", "expectations": "assertions", "name": "description"}


def reads(document: Document) -> bool:
    """Return whether a document is such a file, by its keys."""
    value = document.root.value
    return isinstance(value, dict) and "evals" in value and isinstance(value["evals"].value, list)


def load_document(document: Document, findings: Findings, environ: Mapping[str, str]) -> Loaded:
    """Load the cases of such a document."""
    from gradebox.graders.cases.suite import load_suite  # noqa: PLC0415 - every load of a case comes by here

    root = document.root
    fields = dict(root.value) if isinstance(root.value, dict) else {}
    evals = fields.pop("evals", root._replace(value=[]))
    skill = fields.pop("skill_name", None)
    if skill is not None:
        fields.setdefault("name", skill)
        fields.setdefault("metadata", skill._replace(value={"skill_name": skill}))
    listed = evals.value if isinstance(evals.value, list) else []
    fields["tests"] = evals._replace(value=[_case(node, number) for number, node in enumerate(listed, 1)])
    return load_suite(Document(document.file, root._replace(value=fields)), findings, environ)


def _case(node: Node, number: int) -> Node:
    if not isinstance(node.value, dict):
        return node
    written = node.value
    # A field that is there under both names stays as it is written, and is refused.
    fields = {key if _NAMES.get(key) in written else _NAMES.get(key, key): child for key, child in written.items()}
    fields.setdefault("id", Node(str(number), node.line, node.column))
    if "expected_output" in fields:
        fields.setdefault("criteria", fields["expected_output"])
    return node._replace(value=fields)

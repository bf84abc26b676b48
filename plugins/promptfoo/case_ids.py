"""Makes the ids of cases from a test, its scenario, its prompt, and the combination of its variables.

promptfoo's format has no ids, so they are made from the words of a test and the names of the other parts. In AgentV's
format they are AgentV's ids, so that its recorded results are found: a table's line is ``row-3``, a scenario's test
``scenario-1-2-1`` or ``ID__scenario_test_2``, and each of several prompts adds ``__prompt_ID``.
"""

from __future__ import annotations

import re

from gradebox.plugins.promptfoo.prompt_matrix import prompt_hash
from gradebox.plugins.promptfoo.rows import Row

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_ID = 100
_LONGEST_OF_PROMPT = 48


def slug(text: str, longest: int = _LONGEST_ID) -> str:
    """Return a text as a part of an id."""
    return _NOT_IN_IDS.sub("-", text).strip("-._")[:longest].strip("-._")


def agentv_id(row: Row, own: str, prompt: str, combination: str) -> str:
    """Return AgentV's id of a case, empty if AgentV makes none; `prompt` is empty if there is only one prompt."""
    base = f"{own} {row.suffix if row.is_crossed else ''}" if own else row.agentv_id
    ending = f"__prompt_{slug(prompt, _LONGEST_OF_PROMPT) or prompt_hash(prompt)}" if prompt else ""
    return slug(f"{base.strip()}{ending} {combination}") if base else ""


def made_id(row: Row, named: str, several: str) -> str:
    """Return a case's id, made from the words of its test; `several` distinguishes it from the test's other cases."""
    last = next((part for part in reversed(row.document.prefix) if isinstance(part, int)), 0)
    return slug(f"{named or f'test-{last + 1}'} {row.suffix} {several}") or f"test-{last + 1}"


def unique(wanted: str, taken: set[str]) -> str:
    """Return an id that no other case has, and add it to `taken`."""
    chosen, number = wanted, 1
    while chosen in taken:
        number += 1
        chosen = f"{wanted}-{number}"
    taken.add(chosen)
    return chosen

"""Counts the attacks of the corpus by what they try and by what judges them, for docs/security.md.

`make manual` writes the table there; a test fails if it is stale. The way of judging is that of the check that the
attack is about. What a forgery tries is told by the defence that holds it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from corpus import BASES, Attack, read_corpus
from test_residual import RESIDUAL
from weakened_defences import Defence as D  # noqa: N817 - a column of a table

from gradebox.graders.checks.calls.call import CallCheck
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.items import Items
from gradebox.graders.grading.task import load_case
from gradebox.graders.runners import NONE
from gradebox.graders.runners.adapter import recognise

SECURITY = BASES.parents[2] / "docs/security.md"
BEGIN, END = "<!-- attacks, by `make manual` -->\n", "<!-- end of attacks -->\n"

WAYS = ("items", "calls", "test runner", "report", "stdout", "script starts it", "script imports it", "program")
_STARTS = re.compile(rb"subprocess|Popen|os\.exec|spawn|candidate")
KNOWN = "known to pass"
_FORGERY: Mapping[str, frozenset[D]] = {
    "end the grader, or find its token": frozenset({D.COMPLETION_TOKEN}),
    "equal everything, patch asserts and tests": frozenset({D.OWN_CONTROLS, D.CONTROLS, D.COMPARED_OUTSIDE}),
    "replace files of the case": frozenset({
        D.RESTORE, D.OWN_FILES_FIRST, D.PROTECTED_DELIVERY, D.KILL_ALL, D.RESET, D.SCRATCH_CLEARED
    }),
    "configure the test runner": frozenset({D.SCRUB, D.TAMPERING_FLAGGED}),
    "print or write a result": frozenset({D.REPORT_AGREEMENT, D.EXIT_STATUS}),
    "crash, hang or flood": frozenset({D.DEADLINE, D.MEMORY_LIMIT, D.OUTPUT_LIMIT}),
}  # fmt: skip
_REACH = "reach into the grader's process"
_GROUPS = {
    "boundary": "cross the boundary of what is judged apart",
    "planted": "plant what a grader loads",
    "spoiling": "make a failure an error",
    "theft": "steal answers",
    "files": "submit hostile files",
    "probing": "probe the sandbox",
    "resources": "exhaust resources",
}
CLASSES = (*_FORGERY, _REACH, *_GROUPS.values(), KNOWN)


def class_of(attack: Attack) -> str:
    if attack.group == "residual":
        return KNOWN
    if attack.group != "forgery":
        return _GROUPS[attack.group]
    if not attack.defences:
        return _REACH
    return next((name for name, held in _FORGERY.items() if attack.defences[0] in held), _REACH)


def way_of(attack: Attack) -> str:
    base = BASES / attack.base
    check = next(one for one in load_case(base).checks if attack.check in (None, one.name))
    if isinstance(check, Items):
        return "items"
    if isinstance(check, CallCheck):
        return "calls"
    assert isinstance(check, CodeGrader), f"no column for {check.type} of {attack.base}"
    if check.report is not None:
        return "report"
    if check.expect.stdout is not None or check.expect.stdout_regex is not None:
        return "stdout"
    if check.adapter != NONE and recognise(check.command.argv) is not None:
        return "test runner"
    if attack.laid_as in check.command.argv or "attack.py" in check.command.argv:
        return "program"
    scripts = [base / root / word for word in check.command.argv for root in (".", "workspace")]
    starts = any(_STARTS.search(path.read_bytes()) for path in scripts if path.is_file())
    return "script starts it" if starts else "script imports it"


def table() -> str:
    """Return the table, ended by a newline."""
    attacks = [*read_corpus(), *(known.attack for known in RESIDUAL)]
    counts = Counter((class_of(attack), way_of(attack)) for attack in attacks)
    rows = [(name, [counts[name, way] for way in WAYS]) for name in CLASSES]
    held = [sum(column) for column in zip(*(numbers for name, numbers in rows if name != KNOWN), strict=True)]
    rows.insert(len(rows) - 1, ("all of these, which fail", held))
    lines = ["| what attacks try |", *(f" {way} |" for way in WAYS), "\n|---|", "---:|" * len(WAYS), "\n"]
    for name, numbers in rows:
        lines += [f"| {name} |", *(f" {number or ''} |" for number in numbers), "\n"]
    return re.sub(r" {2,}", " ", "".join(lines))


def page(text: str) -> str:
    """Return a page with the table in its place."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    SECURITY.write_text(page(SECURITY.read_text("utf-8")), "utf-8")

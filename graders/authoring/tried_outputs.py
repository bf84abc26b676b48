"""Tries which small changes of the expected outputs the comparison of an `io` check accepts.

No result is right or wrong in itself: the author can see whether the comparison agrees with the task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from gradebox.graders.checks.evaluation import every
from gradebox.graders.checks.io.comparisons import compared
from gradebox.graders.checks.io.io import IoCheck
from gradebox.graders.model.case import Case

_MOST_TESTS = 50
_MOST_BYTES = 64 * 1024
_NUMBER = re.compile(rb"(?<![\w.])([0-9]+)(\.[0-9]+)?(?![\w.])")
_CHANGES: Mapping[str, Callable[[bytes], bytes]] = {
    "letters in the other case": bytes.swapcase,
    "two blanks for one": lambda text: text.replace(b" ", b"  "),
    "blanks at line ends": lambda text: text.replace(b"\n", b" \n"),
    "Windows line ends": lambda text: text.replace(b"\n", b"\r\n"),
    "no line end at the end": lambda text: text.rstrip(b"\n"),
    "an empty line at the end": lambda text: text + b"\n",
    "lines in another order": lambda text: b"".join(reversed(text.splitlines(keepends=True))),
    "leading zeros": lambda text: _NUMBER.sub(rb"0\1\2", text),
    "more digits": lambda text: _NUMBER.sub(lambda found: found[1] + (found[2] or b".") + b"0", text),
}


def of_outputs(case: Case) -> Iterator[str]:
    """Yield a sentence for each comparison of a case about the changes that it accepts and refuses."""
    for check in every(case.checks):
        # A regular expression is not an output that could be changed.
        if not isinstance(check, IoCheck) or check.checker or check.interactor or check.compare.by == "regex":
            continue
        try:
            found = tried(check)
        except OSError:
            # Grading the case reports this error.
            continue
        accepted = ", ".join(name for name in found if found[name])
        refused = ", ".join(name for name in found if not found[name])
        said = " and ".join(filter(None, (accepted and f"accepts {accepted}", refused and f"refuses {refused}")))
        if said:
            yield f"The comparison `{check.compare.by}` of {check.name} {said}."


def tried(check: IoCheck) -> dict[str, bool]:
    """Return whether each kind of change is accepted. Kinds that change no expected output are left out."""
    short = (test.answer for test in check.tests if test.answer and test.answer.size <= _MOST_BYTES)
    answers = [answer.read() for answer in islice(short, _MOST_TESTS)]
    found: dict[str, bool] = {}
    for name, change in _CHANGES.items():
        pairs = [(answer, changed) for answer in answers if (changed := change(answer)) != answer]
        if pairs:
            found[name] = all(compared(check.compare, answer, changed).accepted for answer, changed in pairs)
    return found

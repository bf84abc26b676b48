"""Names of verdicts: the name of each in reports, and the verdicts that names on the command line select. Pure.

A name has the case, and submission, target and repeat only if they differ between verdicts of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gradebox.graders.documents.suggest import suggestion
from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.fingerprint import Key
from gradebox.graders.model.verdict_document import VerdictDocument

_LISTED = 8


class VerdictNames:
    """Names the verdicts of one run, given all their keys."""

    def __init__(self, keys: Iterable[Key]) -> None:
        listed = list(keys)
        self._submissions = len({key.submission for key in listed}) > 1
        self._targets = len({key.target for key in listed}) > 1
        self._repeats = len({key.repeat for key in listed}) > 1

    def name(self, verdict: VerdictDocument) -> str:
        """Return the name of a verdict, not escaped."""
        parts = [verdict.case]
        if self._submissions:
            parts.append(verdict.submission)
        if self._targets and verdict.target is not None:
            parts.append(verdict.target)
        if self._repeats:
            parts.append(f"repeat {verdict.repeat}")
        return " / ".join(parts)


def select(
    keys: Iterable[Key], case: str, submission: str | None = None, target: str | None = None, repeat: int | None = None
) -> list[Key]:
    """Return the keys that names select; None selects all. A name may be shortened to a unique beginning.

    Raises UsageRefused if a name selects nothing, or is shortened and fits several.
    """
    found = _named("case", case, list(keys), lambda key: key.case, "")
    of = f" of {found[0].case}"
    if submission is not None:
        found = _named("submission", submission, found, lambda key: key.submission, of)
    if target is not None:
        found = _named("target", target, found, lambda key: key.target or "", of)
    if repeat is not None:
        repeats = sorted({key.repeat for key in found})
        found = [key for key in found if key.repeat == repeat]
        if not found:
            listed = ", ".join(map(str, repeats))
            raise UsageRefused(f"The run has no repeat {repeat}{of}.", remedy=f"It has {listed}.")
    return found


def _named(kind: str, name: str, keys: list[Key], name_of: Callable[[Key], str], of: str) -> list[Key]:
    names = dict.fromkeys(filter(None, map(name_of, keys)))
    fitting = [name] if name in names else [known for known in names if name and known.startswith(name)]
    if not fitting:
        remedy = suggestion(name, names) or f"It has no {kind}s at all."
        raise UsageRefused(f"The run has no {kind} {name}{of}.", remedy=remedy)
    if len(fitting) > 1:
        listed = ", ".join(fitting[:_LISTED])
        more = f" and {len(fitting) - _LISTED} more" if len(fitting) > _LISTED else ""
        raise UsageRefused(f"The {kind} {name} is ambiguous: {listed}{more}.", remedy="Write one of them in full.")
    return [key for key in keys if name_of(key) == fitting[0]]

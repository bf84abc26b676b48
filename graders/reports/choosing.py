"""Which verdicts of a run somebody means, who names a case and perhaps a submission, a target or a repeat. Pure.

A name may be cut short where only one begins like that; a name that is whole always means itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from graders.documents.suggest import suggestion
from graders.errors import UsageRefused
from graders.grading.fingerprint import Key

_LISTED = 8


def chosen(
    keys: Iterable[Key], case: str, submission: str | None = None, target: str | None = None, repeat: int | None = None
) -> list[Key]:
    """Return the verdicts that are meant.

    Args:
        keys: Those of the run.
        case: Its name, whole or cut short.
        submission: The same; None for any.
        target: The same.
        repeat: Which repeat, None for all.

    Raises:
        UsageRefused: If there is none, or a name that was cut short could be several.
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
            raise UsageRefused(f"The run has no repeat {repeat}{of}.", remedy=f"There is {listed}.")
    return found


def _named(kind: str, name: str, keys: list[Key], name_of: Callable[[Key], str], of: str) -> list[Key]:
    names = dict.fromkeys(filter(None, map(name_of, keys)))
    meant = [name] if name in names else [known for known in names if name and known.startswith(name)]
    if not meant:
        remedy = suggestion(name, names) or f"It has no {kind}s at all."
        raise UsageRefused(f"The run has no {kind} {name}{of}.", remedy=remedy)
    if len(meant) > 1:
        listed = ", ".join(meant[:_LISTED])
        more = f" and {len(meant) - _LISTED} more" if len(meant) > _LISTED else ""
        raise UsageRefused(f"The {kind} {name} could be {listed}{more}.", remedy="Name one of them.")
    return [key for key in keys if name_of(key) == meant[0]]

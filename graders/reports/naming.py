"""What verdicts of a run are called in reports: the case, and as much beside it as tells them apart. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from graders.grading.fingerprint import Key
from graders.model.result import VerdictDocument


class Naming:
    """Names verdicts of one run.

    Args:
        keys: Of all of them: where they agree in something, no name has it.
    """

    def __init__(self, keys: Iterable[Key]) -> None:
        listed = list(keys)
        self._submissions = len({key.submission for key in listed}) > 1
        self._targets = len({key.target for key in listed}) > 1
        self._repeats = len({key.repeat for key in listed}) > 1

    def name(self, verdict: VerdictDocument) -> str:
        """Return the name of a verdict, as it was written: nothing in it is escaped."""
        parts = [verdict.case]
        if self._submissions:
            parts.append(verdict.submission)
        if self._targets and verdict.target is not None:
            parts.append(verdict.target)
        if self._repeats:
            parts.append(f"repeat {verdict.repeat}")
        return " / ".join(parts)


def ending(kind: str, exit_code: int | None, signal: int | None, seconds: float) -> str:
    """Return how a command ended, in words."""
    status = f" with signal {signal}" if signal else "" if exit_code is None else f" with status {exit_code}"
    return f"{kind.replace('_', ' ')}{status} after {seconds:.2f} s"

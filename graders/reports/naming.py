"""What verdicts of a run are called in reports: the case, and as much beside it as tells them apart. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from graders.result import VerdictDocument


class Naming:
    """Names verdicts of one run.

    Args:
        verdicts: All of them: where they agree in something, no name has it.
    """

    def __init__(self, verdicts: Iterable[VerdictDocument]) -> None:
        listed = list(verdicts)
        self._submissions = len({verdict.submission for verdict in listed}) > 1
        self._targets = len({verdict.target for verdict in listed}) > 1
        self._repeats = len({verdict.repeat for verdict in listed}) > 1

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

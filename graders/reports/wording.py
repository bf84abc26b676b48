"""Statuses, endings and numbers in words for people, the same in every report. Pure."""

from __future__ import annotations

import json
import signal

from gradebox.graders.model.verdict_document import StepDocument
from gradebox.graders.runs.saved_evidence import SavedStep
from gradebox.sandbox.types import ResourceUsage

STATUSES = ("passed", "failed", "error", "not_judged")

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def status(name: str) -> str:
    return name.replace("_", " ")


def written(value: object) -> str:
    """Return a field of a case as text: a text unchanged, a list of texts in one line, anything else as JSON."""
    values = value if isinstance(value, list) else [value]
    texts = [one for one in values if isinstance(one, str)]
    return ", ".join(texts) if len(texts) == len(values) else json.dumps(value, ensure_ascii=False)


def ending(step: StepDocument | SavedStep) -> str:
    match step.ending:
        case "exited":
            return f"exit status {step.exit_code}"
        case "signalled":
            return f"signal {_signal(step.signal)}"
        case other:
            return other.replace("_", " ")


def ended(step: StepDocument | SavedStep) -> str:
    return f"{ending(step)} after {step.wall_seconds:.2f} s"


def used(usage: ResourceUsage) -> str:
    """Return the processor time that a test used, and the memory of its largest process if known."""
    memory = f", {size(usage.peak_rss_bytes)}" if usage.peak_rss_bytes else ""
    return f"{usage.cpu_seconds:.2f} s{memory}"


def _signal(number: int | None) -> str:
    try:
        return f"{number} ({signal.Signals(number or 0).name})"
    except ValueError:
        return str(number)


def seconds(value: float) -> str:
    """Return a duration: two decimals below 10 s, one below a minute, then minutes and hours."""
    if value < 10:
        return f"{value:.2f} s"
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(count: float) -> str:
    """Return a number of bytes in the largest binary unit that leaves at least 1."""
    unit = 0
    while abs(count) >= 1024 and unit < len(_UNITS) - 1:
        count /= 1024
        unit += 1
    return f"{count:.0f} {_UNITS[unit]}" if unit == 0 or count >= 10 else f"{count:.1f} {_UNITS[unit]}"


def of_limit(count: int, limit: int | None) -> str:
    """Return a number of bytes, and its limit if there is one."""
    return f"{size(count)} of {size(limit)}" if limit else size(count)


def number(count: int) -> str:
    return f"{count:,}"


def short(count: int) -> str:
    """Return a round number for the scale of a plot."""
    return f"{count / 1000:g}k" if count >= 1000 else str(count)


def score(value: float | None) -> str:
    """Return a score with four decimals, or a dash without one."""
    return "-" if value is None else f"{value:.4f}"


def percent(part: float, whole: float) -> str:
    """Return a share in percent; 0 % and 100 % only if exact."""
    share = part / whole
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 <= share < 1:
        return "> 99 %"
    return f"{share:.0%}".replace("%", " %")


def counted(count: int, one: str, many: str = "") -> str:
    return f"{number(count)} {one if count == 1 else many or one + 's'}"

"""Shows the progress of a run on stderr: occasional lines, dots, or nothing; `live_progress` is for a terminal.

Verdicts are not printed here: they go to stdout with any kind of progress. Code that prints while progress is shown
must do so inside `paused`.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from threading import Event as Flag
from threading import RLock, Thread
from typing import NamedTuple, Self

from gradebox.graders.cli import console
from gradebox.graders.model.events import CaseGraded, CaseStarted, Event, ImageBuilt, ImageProgress, StepStarted
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.reports.escaping import visible

# Seconds between two lines in a log; a shorter run prints none.
_LINE_SECONDS = 15.0
_DOTS = {Status.PASSED: ".", Status.FAILED: "F", Status.ERROR: "E", Status.NOT_JUDGED: "-"}
_DOTS_PER_LINE = 50
_OF_CHEATS = {Status.PASSED: "cheat passed", Status.FAILED: "cheat held", Status.ERROR: "cheat not graded"}


class GradingKey(NamedTuple):
    """Identifies a running grading. It includes the repeat, since several repeats may run at once."""

    case: str
    target: str
    submission: str
    repeat: int

    @classmethod
    def of(cls, of: CaseStarted | StepStarted | Result) -> Self:
        return cls(of.case, of.target or "", of.submission, of.repeat)

    def __str__(self) -> str:
        repeat = f"repeat {self.repeat}" if self.repeat > 1 else ""
        return " ".join(filter(None, (self.case, self.target, self.submission, repeat)))


class Progress:
    """Takes the events of a run, and shows none of them. Subclasses show progress."""

    # Whether cheats are being graded, which are expected to fail.
    cheats = False
    # When a line about an image was last printed.
    _image_said = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def take(self, event: Event) -> None:
        """Take an event, from any thread."""

    def paused(self) -> AbstractContextManager[None]:
        """Return a context in which no progress is shown, so that any thread can print something else."""
        return nullcontext()

    def finish(self) -> None:
        """Stop estimating the remaining time: nothing new will be started."""

    def warn(self, sentence: str) -> None:
        """Print a warning, from any thread."""
        with self.paused():
            console.warn(sentence)

    def say_image(self, event: Event) -> None:
        """Print the start, the occasional progress and the end of building an image. Ignore other events."""
        now = time.monotonic()
        match event:
            case ImageProgress(case, ""):
                line = f"building the image of {case}"
            case ImageProgress(case, text) if now - self._image_said >= _LINE_SECONDS:
                line = f"image of {case}: {text}"
            case ImageBuilt(case, image, seconds):
                line = f"built the image of {case} in {duration(seconds)} ({image})"
            case _:
                return
        self._image_said = now
        with self.paused():
            console.note(visible(line))


class Counts:
    """How many of `count` verdicts are known, and their rate. Takes events from several threads."""

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.count = count
        self.finishing = False
        self._words: Counter[str] = Counter()
        self._reused = 0
        self._clock = clock
        self._start = clock()
        self._lock = RLock()

    def add(self, event: CaseGraded, *, cheat: bool = False) -> None:
        status = event.result.verdict.status
        with self._lock:
            self._words[_OF_CHEATS.get(status, title(status)) if cheat else title(status)] += 1
            self._reused += event.found_before

    @property
    def graded(self) -> int:
        return self._words.total()

    @property
    def per_second(self) -> float:
        """How many verdicts a second come from grading. Reused ones do not count: they predict no remaining time."""
        return (self.graded - self._reused) / max(self._clock() - self._start, 1e-3)

    @property
    def remaining_seconds(self) -> float | None:
        """Seconds that the remaining gradings take at this rate; None if unknown."""
        if self.finishing or self.graded <= self._reused:
            return None
        return (self.count - self.graded) / self.per_second

    def summary(self, width: int | None = None) -> str:
        """Return counts, rate and remaining time in one line; if it is too long, leave out the rate, then the time."""
        words = [f"{self.graded}/{self.count}"]
        listed = (*map(title, Status), *_OF_CHEATS.values())
        found = [(word, number) for word in listed if (number := self._words[word])]
        words += [f"{number} {word if number == 1 else word.replace('cheat', 'cheats')}" for word, number in found]
        counts = "  ".join(words)
        rate = self.per_second
        speed = f"  {rate:.{2 if rate < 10 else 3}g}/s" if rate else ""
        left = self.remaining_seconds
        rest = "" if left is None or self.graded >= self.count else f"  about {duration(left)} left"
        for more in (speed + rest, rest):
            if width is None or len(counts) + len(more) <= width:
                return counts + more
        return counts


class PlainProgress(Progress):
    """Prints the progress in occasional lines, with the grading that has been running longest."""

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._counts = Counts(count, clock)
        self._clock = clock
        self._printed = clock()
        self._running: dict[GradingKey, tuple[float, str]] = {}  # The start and the current step of each.
        self._lock = RLock()
        self._over = Flag()

    def __enter__(self) -> Self:
        Thread(target=self._look, name="progress", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def take(self, event: Event) -> None:
        self.say_image(event)
        with self._lock:
            match event:
                case CaseStarted():
                    self._running[GradingKey.of(event)] = self._clock(), ""
                case StepStarted():
                    key = GradingKey.of(event)
                    began, _ = self._running.get(key, (self._clock(), ""))
                    self._running[key] = began, f", {visible(event.step)} ({event.number}/{event.total})"
                case CaseGraded(graded):
                    self._counts.add(event, cheat=self.cheats)
                    self._running.pop(GradingKey.of(graded), None)
        self.print_when_due()

    def print_when_due(self) -> None:
        """Print a line if _LINE_SECONDS have passed since the last one."""
        with self._lock:
            now = self._clock()
            if now - self._printed < _LINE_SECONDS or not (self._running or self._counts.graded):
                return
            self._printed = now
            line = self._counts.summary()
            key, (began, step) = min(self._running.items(), key=lambda one: one[1], default=(None, (now, "")))
            if key is not None and now - began >= _LINE_SECONDS:
                line += f"  longest: {visible(str(key))}{step}, {duration(now - began)}"
        console.say(line)

    def _look(self) -> None:
        while not self._over.wait(_LINE_SECONDS / 3):
            self.print_when_due()

    def finish(self) -> None:
        self._counts.finishing = True


class DotProgress(Progress):
    """Prints a character for each verdict, in lines with their count. Takes events from several threads."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._graded = 0
        self._lock = RLock()

    def __exit__(self, *_: object) -> None:
        self._end_line()

    def take(self, event: Event) -> None:
        if not isinstance(event, CaseGraded):
            return
        status = event.result.verdict.status
        with self._lock:
            self._graded += 1
            sys.stderr.write(console.styled(_DOTS[status], sys.stderr, console.STATUS_COLOURS[status]))
            sys.stderr.flush()
            if self._graded % _DOTS_PER_LINE == 0:
                self._write_count()

    @contextmanager
    def paused(self) -> Iterator[None]:
        self._end_line()
        yield

    def _end_line(self) -> None:
        with self._lock:
            if self._graded % _DOTS_PER_LINE:
                self._write_count()

    def _write_count(self) -> None:
        sys.stderr.write(f"  {self._graded}/{self._count}\n")
        sys.stderr.flush()


def title(status: str) -> str:
    return status.replace("_", " ")


def duration(seconds: float) -> str:
    """Return seconds as people write them: 7 s, 3:07, 2:03:07."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"

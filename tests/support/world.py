"""What tests of runs share: three cases, four submissions, and an engine that counts what it runs."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_engine import FakeEnd, FakeRun

from gradebox.graders.runs.saved_run import read_run
from gradebox.graders.runs.store import RESULTS
from gradebox.sandbox.protocol.frames import Cause

# Whose fault that is, is not the candidate's.
ABSENT = FakeEnd(cause=Cause.NOT_STARTED, errno=errno.ENOENT)
CHECK = 'image: image\nassertions: [{type: code-grader, command: ["check"]}]\n'


class World:
    """Three cases and four submissions in the working directory, and an engine that counts what it runs."""

    def __init__(self) -> None:
        self.graded = 0
        self.act: Callable[[FakeRun], FakeEnd] = self.by_answer
        for case in "abc":
            self.write(f"{case}/case.yaml", CHECK)
        for name, answer in (("one", "right"), ("two", "wrong"), ("three", "right"), ("four", "wrong")):
            self.write(f"work/{name}/answer", answer)

    def write(self, path: str, text: str) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)

    def by_answer(self, ran: FakeRun) -> FakeEnd:
        return FakeEnd(exit_code=0 if ran.files.get("answer") == b"right" else 1)

    def __call__(self, ran: FakeRun) -> FakeEnd:
        self.graded += 1
        return self.act(ran)

    @property
    def arguments(self) -> list[str]:
        cases = [word for case in "abc" for word in ("-c", case)]
        return cases + [word for name in ("one", "two", "three", "four") for word in ("-s", f"work/{name}")]


def the_run() -> Path:
    (directory,) = Path("runs").glob("[!.]*")
    return directory


def verdicts(directory: Path) -> list[tuple[Any, ...]]:
    found = read_run(directory).verdicts.values()
    return [(one.number, one.case, one.submission, one.repeat, one.verdict, one.score) for one in found]


def lines(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / RESULTS).read_text().splitlines()]

"""What tests of grading share: cases made on the spot, and an engine whose commands are scripted and watched."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.events import Event
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import UNTOUCHED, Submission
from gradebox.graders.runners.adapter import NONE
from gradebox.graders.submissions.source import read_submission

Act = FakeEnd | Callable[[FakeRun], FakeEnd]
PASS, FAIL = FakeEnd(), FakeEnd(exit_code=1)


@dataclass
class Watch:
    """A script that does what is said of the first word of a command, and remembers every command with its files."""

    acts: Mapping[str, Act] = field(default_factory=dict)
    runs: list[FakeRun] = field(default_factory=list)

    def __call__(self, run: FakeRun) -> FakeEnd:
        self.runs.append(replace(run, files=dict(run.files)))
        act = self.acts.get(run.argv[0], PASS)
        return act(run) if callable(act) else act

    def files(self, program: str) -> dict[str, bytes]:
        """Return the workspace as the (last) run of a program saw it."""
        return next(run.files for run in reversed(self.runs) if run.argv[0] == program)

    @property
    def programs(self) -> list[str]:
        return [run.argv[0] for run in self.runs]


class Patient(threading.Event):
    """A flag that is waited for without waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.waits: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(timeout or 0.0)
        return self.is_set()


def command(text: str, **changes: Any) -> CommandSpec:
    return CommandSpec(tuple(text.split()), **changes)


def check(text: str, **changes: Any) -> CodeGrader:
    """Return a code-grader whose name is its command's first word."""
    words = command(text)
    return CodeGrader(
        **{"name": words.argv[0], "place": Place(Path("case.yaml")), "command": words, "adapter": NONE} | changes
    )


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


class Bench:
    """A case directory and a submission, below one temporary directory."""

    def __init__(self, root: Path, acts: Mapping[str, Act] | None = None) -> None:
        self.root = root
        self.watch = Watch(acts or {})
        self.engine = FakeEngine(self.watch)
        self.events: list[Event] = []
        self.settings = Settings(image_of=lambda case: case.image or "image", emit=self.events.append, stop=Patient())
        (root / "case" / "workspace").mkdir(parents=True)

    def case(self, *checks: Check, files: Mapping[str, str] | None = None, **changes: Any) -> Case:
        """Return a case with these files in its directory."""
        directory = self.root / "case"
        write(directory, files or {})
        return Case(
            **{
                "id": "case",
                "place": Place(directory / "case.yaml"),
                "directory": directory,
                "roots": (directory,),
                "checks": checks,
                "workspace": directory / "workspace",
                "grading": directory / "grading" if (directory / "grading").exists() else None,
            }
            | changes
        )

    def submission(self, files: Mapping[str, str]) -> Submission:
        (self.root / "work").mkdir()
        write(self.root / "work", files)
        return read_submission(self.root / "work")

    def diff(self, text: str) -> Submission:
        (self.root / "fix.diff").write_text(text)
        return read_submission(self.root / "fix.diff")

    def grade_beside_others(self, case: Case, submission: Submission = UNTOUCHED) -> Result:
        return grade(self.engine, case, submission, self.settings)

    def grade(self, case: Case, submission: Submission = UNTOUCHED) -> Result:
        graded = self.grade_beside_others(case, submission)
        assert self.engine.open_containers == (), "a sandbox was left"
        assert self.settings.live == {}
        return graded

"""Where the attacks of `test_defences` are tried: sandboxes and gradings on the real engine, with defences off or on.

A supervisor from which something was left out lies in a volume of its own; what was made is removed at the end.
"""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from corpus import RUNTIME
from docker.errors import NotFound
from weakened_defences import COMPILED, Defence, off

from gradebox.graders.checks.base import Check
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.result import Result
from gradebox.graders.runners.adapter import NONE
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import KIB, MIB, Limits
from gradebox.sandbox.profiles import STRICT
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, Outcome, SandboxSpec

PLACE = Place(Path("case.yaml"))
USER = 10_001
# What the tests without anything switched off meet soon, and more than what a Python program needs.
SMALL = Limits(
    memory_bytes=160 * MIB,
    pids=24,
    disk_bytes=16 * MIB,
    disk_files=500,
    tmp_bytes=8 * MIB,
    shm_bytes=4 * MIB,
    open_files=48,
    file_bytes=8 * MIB,
)
_WITH_A_SETUID_PROGRAM = """
FROM {image}
USER root
RUN cp /usr/bin/python3 /usr/bin/rooted && chmod 4755 /usr/bin/rooted
"""


class Room:
    """Engines, sandboxes and cases for attacks.

    Attributes:
        root: A directory for cases, submissions and secrets.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.python = reference("python")
        self._engines: dict[frozenset[Defence], DockerEngine] = {}
        self._kept: dict[tuple[Defence, ...], Sandbox] = {}
        self._setuid = ""

    @property
    def engine(self) -> DockerEngine:
        """The engine, with the supervisor that goes with what is switched off now."""
        left_out = COMPILED & set(off())
        if left_out not in self._engines:
            self._engines[left_out] = DockerEngine()
        return self._engines[left_out]

    @contextmanager
    def sandbox(self, limits: Limits = SMALL, *, image: str = "") -> Iterator[Sandbox]:
        """Yield a sandbox with an empty workspace; the plainest ones are used again."""
        usual = limits is SMALL and not image
        sandbox = self._kept.pop(off(), None) if usual else None
        if sandbox is None:
            spec = SandboxSpec(image or self.python, limits, masked=STRICT.masked, runtime=RUNTIME)
            sandbox = Sandbox(self.engine, spec)
            sandbox.__enter__()
        try:
            sandbox.reset(USER)
            yield sandbox
        finally:
            if usual and not sandbox.lost and off() in {(), (Defence.CANDIDATE_USER,), (Defence.SYSCALL_FILTER,)}:
                self._kept[off()] = sandbox
            else:
                sandbox.close()

    def python_runs(self, program: str, *, image: str = "", **changes: Any) -> bool:
        """Say whether a Python program of a candidate's came to its end."""
        with self.sandbox(image=image) as sandbox:
            return ended_well(run(sandbox, "python3", "-c", program, **changes))

    def image_with_a_setuid_program(self) -> str:
        if not self._setuid:
            text = _WITH_A_SETUID_PROGRAM.format(image=self.python).encode()
            steps = self.engine.images.client.build(fileobj=io.BytesIO(text), rm=True, forcerm=True, decode=True)
            identities = [step["aux"]["ID"] for step in steps if "aux" in step]
            (self._setuid,) = identities
        return self._setuid

    def grade(
        self, *checks: Check, files: Mapping[str, str] | None = None, work: Mapping[str, str] | None = None,
        submission: Path | None = None, **changes: Any,
    ) -> Result:  # fmt: skip
        """Grade a submission of a case that is made of these files."""
        directory, brought = self.root / "case", self.root / "work"
        for place in (directory, brought):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
        write(directory, files or {})
        write(brought, work or {})
        case = Case(
            **{
                "id": "case",
                "place": Place(directory / "case.yaml"),
                "directory": directory,
                "roots": (directory,),
                "checks": checks,
                "workspace": directory / "workspace" if (directory / "workspace").exists() else None,
                "grading": directory / "grading" if (directory / "grading").exists() else None,
                "limits": SMALL,
            }
            | changes
        )
        settings = Settings(image_of=lambda _: self.python, runtime=RUNTIME)
        return grade(self.engine, case, read_submission(submission or brought), settings)

    def close(self) -> None:
        for sandbox in self._kept.values():
            sandbox.close()
        for left_out, engine in self._engines.items():
            if left_out:
                # Taken before the engine forgets which binary is its own. Another worker may have had the same one.
                with suppress(NotFound):
                    engine.images.client.remove_volume(engine.volume, force=True)
            elif self._setuid:
                engine.images.client.remove_image(self._setuid, force=True)
            engine.close()


def run(sandbox: Sandbox, *argv: str, **changes: Any) -> Outcome:
    """Run a command as the candidate."""
    asked: dict[str, Any] = {"env": sandbox.env, "uid": USER, "wall_seconds": 20.0, "output_bytes": 64 * KIB}
    return sandbox.run(Command(argv=argv, **(asked | changes)))


def ended_well(outcome: Outcome) -> bool:
    return outcome.ending is Ending.EXITED and outcome.exit_code == 0


def check(name: str, *argv: str, **changes: Any) -> CodeGrader:
    asked = {"name": name, "place": PLACE, "command": CommandSpec(argv), "adapter": NONE}
    return CodeGrader(**(asked | changes))


def command(*argv: str) -> CommandSpec:
    return CommandSpec(argv)


def write(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

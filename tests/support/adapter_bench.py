"""What tests of the adapters share: a sandbox in which test runners run, as they are and adapted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.runners import runner_report
from gradebox.graders.runners.adapter import adapt
from gradebox.graders.runners.runner_report import RunnerJudgment, RunnerReport
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.build import build
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import WORKSPACE, Command, Outcome, SandboxSpec


@dataclass(frozen=True)
class Ran:
    """What became of one command."""

    step: Step
    outcome: Outcome

    @property
    def report(self) -> RunnerReport:
        return runner_report.read(self.step.token, self.outcome.report.content())

    @property
    def judged(self) -> RunnerJudgment:
        return runner_report.judge(self.step, self.outcome)

    @property
    def printed(self) -> str:
        return self.outcome.stdout.text() + self.outcome.stderr.text()

    @property
    def passed(self) -> bool:
        judged = self.judged
        return self.outcome.exit_code == 0 and not judged.reason and not judged.tampering and not judged.missing


class Yard:
    """A sandbox in which one command after another is run, each with files and a user of its own."""

    uids = count(10_000)

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def run(
        self,
        *argv: str,
        work: Mapping[str, str] | None = None,
        judge: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        adapter: str = "auto",
        seconds: float = 60.0,
    ) -> Ran:
        """Run a command.

        Args:
            argv: As an author writes it.
            work: Files of the candidate's.
            judge: Files that are delivered: root's, read-only.
            env: Added to the environment.
            stdin: What the command can read.
            adapter: `none` runs it as it is.
            seconds: Its limit.
        """
        uid = next(self.uids)
        self.sandbox.reset(uid)
        self.sandbox.put(_entries(work or {}), uid=uid)
        step = Step(Role.CHECK, "check", argv, WORKSPACE, seconds, env=env or {}, stdin=stdin)
        step = adapt(step, adapter)
        self.sandbox.put([*_entries(judge or {}), *step.brought], protect=True)
        outcome = self.sandbox.run(
            Command(
                step.argv,
                cwd=step.cwd,
                env={step.renamed.get(name, name): value for name, value in {**self.sandbox.env, **step.env}.items()},
                stdin=step.stdin,
                uid=uid,
                wall_seconds=step.limit_seconds,
                report=step.report,
                capture_bytes=1 << 18,
            )
        )
        return Ran(step, outcome)


def open_built(image: str) -> Iterator[Yard]:
    """Open a yard in one of our images, which is built if it is not there."""
    engine = DockerEngine()
    (built,) = build([image], engine.images, image_catalogue())
    yield from open_yard(engine, built.reference)
    engine.close()


def open_yard(engine: DockerEngine, image: str) -> Iterator[Yard]:
    with Sandbox(engine, SandboxSpec(image)) as sandbox:
        sandbox.snapshot()
        yield Yard(sandbox)


def _entries(files: Mapping[str, str]) -> Sequence[ArchiveEntry]:
    directories: dict[str, None] = {}
    for path in files:
        parts = path.split("/")[:-1]
        directories |= dict.fromkeys("/".join(parts[: number + 1]) for number in range(len(parts)))
    return [
        *(ArchiveEntry(path, EntryKind.DIRECTORY, 0o755) for path in directories),
        *(
            file_entry(path, text.encode(), mode=0o755 if text.startswith("#!") else 0o644)
            for path, text in files.items()
        ),
    ]

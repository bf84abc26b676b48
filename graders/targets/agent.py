"""The provider `cli`: a command in its own throwaway sandbox, whose changes to the workspace are the submission.

    lay out the case's workspace -> hooks before the case -> the command -> fetch the workspace -> find the changes

The command runs as an unprivileged user with the prompt on its stdin. Neither `grading/` nor the reference is ever in
that sandbox. A command that ends abnormally is the target's failure, unless it could not run at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gradebox.graders.cases.grader_files import GRADING
from gradebox.graders.checks.llm.task_text import task_text
from gradebox.graders.checks.results import ending_sentence, failure_sentence, last_words, record, whose_fault
from gradebox.graders.documents.commands import CommandLine, command_spec
from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.entries import Entry, WrittenAs
from gradebox.graders.documents.fields import Bytes, Env, Image, Listed, Name, Pids, Processors, Seconds, WorkspaceFile
from gradebox.graders.documents.reader import Reader
from gradebox.graders.documents.validators import refused
from gradebox.graders.errors import GraderError
from gradebox.graders.grading.open_sandboxes import open_sandbox
from gradebox.graders.grading.planner import Planner
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Files, Role, Stage, Step
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.time_limit import longest_seconds, patience_seconds
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.tree import MAX_DEPTH, Tree, content, is_deep, parents
from gradebox.graders.submissions.answer import read_answer
from gradebox.graders.submissions.transcript_fields import TranscriptError
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.graders.targets.changes import changes, fetched
from gradebox.graders.targets.target import Target
from gradebox.sandbox import profiles
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.ending import Fault
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.errors import WorkspaceRefused
from gradebox.sandbox.limits import MIB, Limits, Network
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import WORKSPACE, Command, Ending

# gradebox's directory in the target's workspace; not part of the submission.
OWN_DIRECTORY = ".gradebox"
PROMPT_FILE = f"{OWN_DIRECTORY}/prompt.md"
_PLACEHOLDER = "{prompt_file}"

# How much a target may add to its workspace, since the submission is held in memory.
GROWTH_BYTES = 64 * MIB
ANSWER_BYTES = 8 * MIB
_ENTRY_BYTES = 2048
# A glob that no name matches, since the supervisor requires a glob.
_NO_NAME = "/"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class TargetFailed(Exception):
    """The target failed to make its submission, through its own fault; the message says why."""

    def __init__(self, message: str, done: StepOutcome | None = None) -> None:
        super().__init__(message)
        self.done = done


def _variable(text: str) -> str:
    if not _VARIABLE.match(text):
        raise refused(f"cannot contain the variable name `{shown(text)}`", "Use letters, digits and `_`.")
    return text


class AgentLimits(Entry):
    """Limits of a target's sandbox. The defaults are the limits of the case."""

    memory: Annotated[Bytes, Field(ge=6 * MIB)] | None = Field(
        default=None, description="Memory of the whole container."
    )
    cpus: Processors | None = Field(default=None, description="Number of processors.")
    pids: Pids | None = Field(default=None, description="Number of processes and threads.")
    disk: Bytes | None = Field(default=None, description="Size of the workspace.")


class CliTarget(Target):
    """A command that is given the prompt, and changes the workspace or prints its answer."""

    provider: Literal["cli"] = "cli"
    command: Annotated[CommandSpec, WrittenAs(CommandLine, command_spec)] = Field(
        description="The command. It gets the prompt on stdin and in the file `{prompt_file}`."
    )
    image: Image | None = Field(default=None, description="Image of its sandbox. Default: the image of the case.")
    network: Annotated[Network, WrittenAs(Literal["none", "bridge"], Network)] = Field(
        default=Network.NONE, description="What it can reach besides loopback: nothing, or any network."
    )
    # Not shown, since it may contain keys.
    env: Env = Field(default_factory=dict, repr=False)
    env_allow: Listed[Annotated[Name, AfterValidator(_variable)]] = Field(
        default=(), description="Names of the only variables that are taken from the environment of `grade`."
    )
    timeout_seconds: Seconds = 600.0
    output_file: WorkspaceFile | None = Field(default=None, description="The file with the answer. Default: stdout.")
    transcript_file: WorkspaceFile | None = Field(default=None, description="The file with a transcript.")
    limits: AgentLimits = AgentLimits()

    def check(self, reader: Reader, path: DocumentPath) -> None:
        for index, name in enumerate(self.env_allow):
            if name in self.env:
                message = f"`{name}` is set by `env` and taken from the host, too"
                reader.error((*path, "env_allow", index), message, "Keep one of the two.")
        if self.output_file is not None and self.output_file == self.transcript_file:
            reader.error((*path, "transcript_file"), "`transcript_file` is the `output_file`", "Name two files.")

    def make(self, engine: Engine, case: Case, settings: Settings) -> Submission:
        files = read_files(case)
        hooks = _hooks(case, files)
        seconds = longest_seconds(self.timeout_seconds * case.time_factor) + (
            longest_seconds(case.whole_seconds) if hooks else 0.0
        )
        limits = self._limits(profiles.limits(settings.profile, case.limits))
        spec = settings.sandbox_spec(self.image or settings.image_of(case), limits, seconds)
        with settings.turn(case), open_sandbox(engine, spec, settings) as sandbox:
            return _Session(sandbox, case, self, files, hooks).submission()

    def _limits(self, limits: Limits) -> Limits:
        own = self.limits
        disk = own.disk or limits.disk_bytes
        return replace(
            limits,
            memory_bytes=own.memory or limits.memory_bytes,
            cpus=own.cpus or limits.cpus,
            pids=own.pids or limits.pids,
            disk_bytes=disk,
            file_bytes=max(limits.file_bytes, disk),
            network=self.network,
        )


def _hooks(case: Case, files: Files) -> Stage | None:
    """Return the hooks before the case, without hidden files that they name, since the target could see them."""
    stage = Planner(case, files, {}).own_stage(Role.HOOK, before=("before_all", "before_each"))
    if stage is None:
        return None
    shown = tuple(entry for entry in stage.delivered if entry.path.partition("/")[0] != GRADING)
    return replace(stage, delivered=shown)


@dataclass(frozen=True, slots=True)
class _Session:
    """One open sandbox in which a target does its work."""

    sandbox: Sandbox
    case: Case
    target: CliTarget
    files: Files
    hooks: Stage | None

    def submission(self) -> Submission:
        try:
            return self._work()
        except TargetFailed as failed:
            problem = f"The target {self.target.name} failed: {failed}"
            done = failed.done
            steps = (record(done, passed=False, reason=ending_sentence(done)),) if done else ()
            return Submission(self.target.name, problem=problem, steps=steps)

    def _work(self) -> Submission:
        target, sandbox = self.target, self.sandbox
        sandbox.put(self.files.workspace.entries.values(), uid=sandbox.uid(0))
        before = self.files.workspace
        if self.hooks is not None:
            self._run_hooks(self.hooks)
            before = fetched(sandbox.get(["."], limit_bytes=self._most_bytes()))
        sandbox.snapshot()
        done = self._run_command()
        after = self._fetch()
        output = self._text(after, target.output_file, done)
        transcript = self._transcript(after)
        aside = [OWN_DIRECTORY, *filter(None, (target.output_file, target.transcript_file))]
        tree, deleted = changes(_without(before, aside), _without(after, aside))
        steps = (record(done, passed=True, reason=""),)
        # A directory with nothing but the answer is not a submission.
        if deleted or any(tree.files()):
            made = Submission(target.name, Form.DIRECTORY, tree, deleted=deleted, output=output)
        elif target.output_file is not None:
            made = read_answer(target.name, output)
        else:
            made = Submission(target.name, output=output)
        return replace(made, transcript=transcript, steps=steps)

    def _run_hooks(self, stage: Stage) -> None:
        sandbox = self.sandbox
        sandbox.snapshot()
        uid = sandbox.uid(stage.user)
        sandbox.reset(uid)
        if stage.delivered:
            sandbox.put(stage.delivered, protect=True)
        for step in stage.steps:
            done = self._run(step, uid)
            if done.outcome.exit_code != 0:
                sentence = failure_sentence(done)
                raise GraderError(f"{self.case.place}: before the target {self.target.name} ran, {sentence}.")
        delivered = {entry.path for entry in stage.delivered}
        outermost = [path for path in delivered if delivered.isdisjoint(parents(path))]
        if outermost:
            sandbox.scrub([_NO_NAME], paths=outermost)
            covered = [entry for path in outermost for entry in self.files.workspace.below(path)]
            sandbox.put(sorted(covered, key=lambda entry: entry.path), uid=sandbox.uid(0))

    def _run_command(self) -> StepOutcome:
        target, uid = self.target, self.sandbox.uid(1)
        text = task_text(self.case).encode("utf-8", "replace")
        self.sandbox.reset(uid)
        own = [ArchiveEntry(OWN_DIRECTORY, EntryKind.DIRECTORY, 0o755), file_entry(PROMPT_FILE, text)]
        self.sandbox.put(own, protect=True)
        step = Step(
            Role.TARGET,
            target.name,
            tuple(word.replace(_PLACEHOLDER, f"{WORKSPACE}/{PROMPT_FILE}") for word in target.command.argv),
            cwd=WORKSPACE,
            limit_seconds=target.timeout_seconds * self.case.time_factor,
            env=target.env,
            stdin=text,
        )
        done = self._run(step, uid)
        if whose_fault(done) in (Fault.AUTHOR, Fault.OURS):
            raise GraderError(f"{target.place}: the target {target.name} could not run: {ending_sentence(done)}.")
        if done.outcome.ending is not Ending.EXITED or done.outcome.exit_code != 0:
            raise TargetFailed(f"{ending_sentence(done)}{last_words(done)}", done)
        return done

    def _run(self, step: Step, uid: int) -> StepOutcome:
        command = Command(
            argv=step.argv,
            cwd=step.cwd,
            env={**self.sandbox.env, **step.env},
            stdin=step.stdin,
            uid=uid,
            wall_seconds=step.limit_seconds,
            patience_seconds=patience_seconds(step.limit_seconds),
            output_bytes=self.case.output_bytes,
            capture_bytes=ANSWER_BYTES,
        )
        return StepOutcome(step, self.sandbox.run(command))

    def _most_bytes(self) -> int:
        held = self.files.workspace
        return held.size_bytes + _ENTRY_BYTES * len(held.entries) + GROWTH_BYTES

    def _fetch(self) -> Tree:
        try:
            after = fetched(self.sandbox.get(["."], limit_bytes=self._most_bytes()))
        except WorkspaceRefused as error:
            raise TargetFailed(f"its workspace cannot be fetched: {error.message}") from error
        if any(is_deep(path.rpartition("/")[0]) for path in after.entries):
            raise TargetFailed(f"its workspace holds directories nested deeper than {MAX_DEPTH} levels")
        return after

    def _text(self, after: Tree, path: str | None, done: StepOutcome) -> str:
        if path is not None:
            return self._written(after, path).decode("utf-8", "replace")
        if not done.outcome.stdout.complete:
            raise TargetFailed(f"it printed more than {ANSWER_BYTES} bytes as its answer", done)
        return done.outcome.stdout.text()

    def _transcript(self, after: Tree) -> Transcript | None:
        if self.target.transcript_file is None:
            return None
        try:
            return parse_transcript(self._written(after, self.target.transcript_file))
        except TranscriptError as error:
            raise TargetFailed(f"its {self.target.transcript_file} cannot be read: {error}") from error

    def _written(self, after: Tree, path: str) -> bytes:
        entry = after.entries.get(path)
        if entry is None or entry.kind is not EntryKind.FILE:
            raise TargetFailed(f"it did not write {path}")
        return content(entry)


def _without(tree: Tree, tops: Iterable[str]) -> Tree:
    """Return the tree without some paths and everything below them."""
    gone = {entry.path for top in tops for entry in tree.below(top)}
    return Tree({path: entry for path, entry in tree.entries.items() if path not in gone})

"""The evidence that checks are judged by: everything known about a submission after its commands have run.

Files are read from the submitted tree, never from the sandbox. So a check judges a file as it was submitted, even if a
command of another check changed it later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from posixpath import normpath
from typing import Annotated, Self

from pydantic import AliasChoices, Field

from gradebox.graders.model.expectation import OutputComparison
from gradebox.graders.model.judgment import Judgment
from gradebox.graders.model.plan import Plan, Step
from gradebox.graders.model.tampering import Tampering
from gradebox.graders.model.transcript import Transcript
from gradebox.graders.model.tree import Tree, content, parents
from gradebox.graders.model.verdict import CheckResult
from gradebox.sandbox.archive import ArchiveEntry, EntryKind
from gradebox.sandbox.records import dataclass
from gradebox.sandbox.types import WORKSPACE, MemoryState, Outcome

MAX_TEXT_BYTES = 4 * 1024 * 1024

# Separates names. No check name contains this character, since check names must be printable.
_PART = "\x1f"


class TextUnreadable(Exception):
    """A text is missing or cannot be judged, through the candidate's fault; the message says why."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """The file that a command had to make, as found after the command ended."""

    data: bytes = b""
    problem: str = ""  # Why the content is not available, a clause; empty if it is.
    missing: bool = False  # Whether the `problem` is that the file does not exist.


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step and its outcome."""

    step: Step
    outcome: Outcome
    # Whether the candidate prevented the step from running or ending by itself, by using up the time of the whole case
    # or all memory.
    cut_off: bool = False
    # The file that it had to make; None if no file was requested, or the step did not end by itself.
    artifact: Artifact | None = None
    # Compares its output with the one that its stage expects, if it ended by itself.
    comparison: OutputComparison | None = None
    left: tuple[ArchiveEntry, ...] = ()  # Files left in the `feedback` of its stage; kept only until the next stage.
    further: bool = False  # Whether these files request a further pass.
    skipped: str = ""  # Why it was not run although it could have been, a clause; empty if it was run.
    broken: str = ""  # Why it fails with any submission, a clause; found by running it without a submission.


@dataclass(slots=True)
class Observations:
    """The observations made while a plan was carried out."""

    # The steps of checks, by the names under which their evidence is kept.
    done: dict[str, list[StepOutcome]] = field(default_factory=dict)
    own: list[StepOutcome] = field(default_factory=list)  # The steps of the case's setup and teardown.
    removed: dict[str, None] = field(default_factory=dict)  # Paths of the submission that were removed.
    removed_count: int = 0  # The number of removed paths; `removed` may list fewer.
    # Why the case as a whole could not be graded; not the candidate's fault.
    faults: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # Why the case failed regardless of its checks.
    in_question: bool = False  # Whether the submission may have caused a fault, since the setup failed with it.
    # For checks that are an error here: the other work with which they can be judged, such as `the reference`. By the
    # names under which evidence is kept.
    works_with: Mapping[str, str] = field(default_factory=dict)
    memory: MemoryState = field(default_factory=MemoryState)  # The state of the sandbox's memory at its end.
    image_id: str = ""
    services: Mapping[str, str] = field(default_factory=dict)  # The image ids of the services, by service name.
    machine: Mapping[str, str] = field(default_factory=dict)  # The machine, as in `Result`.
    gaps: tuple[str, ...] = ()  # Guarantees that the sandbox may not have enforced, a sentence each.
    tampering: list[Tampering] = field(default_factory=list)
    judgments: dict[str, Judgment] = field(default_factory=dict)  # Judges' replies, by the keys of the questions.
    audits: tuple[str, ...] = ()  # Findings of judges that looked for cheating, a sentence each.


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Everything besides the case that decided a verdict; fields are as in `Observations`."""

    submission: str  # The digest of the submission.
    done: Mapping[str, tuple[StepOutcome, ...]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    # Hashes of what the steps depended on besides the submission, from `fingerprint.plan_hashes`.
    plan_hashes: Annotated[Mapping[str, str], Field(validation_alias=AliasChoices("plan_hashes", "basis"))] = field(
        default_factory=dict
    )
    # Hashes of what the steps could read on stdin, from `fingerprint.stdin_hashes`, by the same names as `done`.
    stdin_hashes: Annotated[
        Mapping[str, Mapping[str, str]], Field(validation_alias=AliasChoices("stdin_hashes", "told"))
    ] = field(default_factory=dict)
    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    works_with: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence that one check is judged by."""

    done: tuple[StepOutcome, ...] = ()  # The steps of the check itself, in order.
    # The steps of its members, by member name (see `part`).
    within: Mapping[str, tuple[StepOutcome, ...]] = field(default_factory=dict)
    output: str | None = None  # The text of the answer; None if the submission has none.
    transcript: Transcript | None = None  # How the answer came about; None if the submission has no transcript.
    earlier: str = ""  # For a turn: the conversation before the answer, including the candidate's own words.
    tree: Tree = Tree()  # The case's workspace with the submission laid over it.
    before: Tree = Tree()  # The case's workspace without the submission.
    no_workspace: str = ""  # Why `tree` is not the candidate's workspace, as in `Submission`; empty if it is.
    # The results of the checks of the case judged so far, by name.
    results: Mapping[str, CheckResult] = field(default_factory=dict)
    members: tuple[CheckResult, ...] = ()  # The results of the check's members, in order.
    # Judges' replies, by the keys of the questions.
    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    # As in `Observations`; the check itself has an empty name.
    works_with: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, judgments: Mapping[str, Judgment] | None = None) -> Self:
        """Return the evidence known before any command runs, and the replies of judges."""
        made = plan.submission
        return cls(
            output=made.output,
            transcript=made.transcript,
            tree=plan.laid,
            before=plan.workspace,
            no_workspace=made.no_workspace,
            judgments={} if judgments is None else judgments,
        )

    @property
    def answer(self) -> str | None:
        """The text of the answer; without one, the assistant's last message in the transcript."""
        if self.output is not None or self.transcript is None:
            return self.output
        return self.transcript.output


def part(check: str, member: str) -> str:
    """Return the name under which the evidence of a check's member is kept."""
    return f"{check}{_PART}{member}"


def names_in(kept: str) -> list[str]:
    """Split a name under which evidence is kept into the names of the check, its member, that one's member ..."""
    return kept.split(_PART)


def of_check(evidence: Evidence, name: str, done: Mapping[str, Sequence[StepOutcome]]) -> Evidence:
    """Return the evidence for one check: the evidence that all checks share, plus the steps of it and its members."""
    prefix = part(name, "")
    within = {key.removeprefix(prefix): tuple(ran) for key, ran in done.items() if key.startswith(prefix)}
    works_with = {
        key.removeprefix(prefix) if key != name else "": subject
        for key, subject in evidence.works_with.items()
        if key == name or key.startswith(prefix)
    }
    return replace(evidence, done=tuple(done.get(name, ())), within=within, works_with=works_with)


def answer_text(evidence: Evidence) -> str | None:
    """Return the answer; None if the submission has none.

    Raises TextUnreadable if it is longer than MAX_TEXT_BYTES characters.
    """
    answer = evidence.answer
    if answer is not None and len(answer) > MAX_TEXT_BYTES:
        raise TextUnreadable(f"the answer has {len(answer)} characters, more than the limit of {MAX_TEXT_BYTES}")
    return answer


def file_text(tree: Tree, path: str) -> str:
    """Return a file of a tree as text; bytes that are not UTF-8 become replacement characters.

    Raises:
        TextUnreadable: If there is no such file, or it is larger than MAX_TEXT_BYTES.
        OSError: If it existed and can no longer be read, which is not the candidate's fault.
    """
    clean = workspace_path(path)
    entry = tree.entries.get(clean)
    if entry is None:
        beyond = next(
            (at for at in parents(clean) if at in tree.entries and tree.entries[at].kind is EntryKind.LINK), None
        )
        if beyond:
            raise TextUnreadable(f"{clean} is below the symbolic link {beyond}, which is not followed")
        raise TextUnreadable(f"there is no file {clean}")
    if entry.kind is not EntryKind.FILE:
        # Links of the candidate are never followed: outside the sandbox they could lead anywhere.
        raise TextUnreadable(f"{clean} is a {entry.kind}")
    if entry.size > MAX_TEXT_BYTES:
        raise TextUnreadable(f"{clean} has {entry.size} bytes, more than the limit of {MAX_TEXT_BYTES}")
    return content(entry)[:MAX_TEXT_BYTES].decode("utf-8", "replace")


def workspace_path(path: str) -> str:
    """Return a path normalised and relative to the workspace, as in trees."""
    return normpath(path.removeprefix(f"{WORKSPACE}/"))

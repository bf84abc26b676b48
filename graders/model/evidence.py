"""What a check is judged by: everything that is known of one submission when its commands have run. Data, and its text.

Files are read from the submitted tree, never from the sandbox: a check judges a file as it was submitted, whatever a
command of another check did to it later.
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

# No name of a check holds it: YAML and JSON can only write it as an escape.
_PART = "\x1f"


class TextUnreadable(Exception):
    """There is no such text, or it is not one that can be judged; the message says why. It is the candidate's fault."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """What was at the place of the file when the command had ended."""

    data: bytes = b""
    problem: str = ""  # Why there is no content, a clause; empty when there is one.
    missing: bool = False  # Whether there is no file, rather than one that cannot be read.


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """A step, and what happened to it."""

    step: Step
    outcome: Outcome
    # Whether the candidate kept it from running, or from ending by itself, by using up what the whole case has: the
    # time was over before its own was, or no memory was left.
    cut_off: bool = False
    # What there was of the file that it had to make; None where none was requested, or it did not end by itself.
    artifact: Artifact | None = None
    comparison: OutputComparison | None = None  # Of what it printed with what its stage expects, if it ended by itself.
    left: tuple[ArchiveEntry, ...] = ()  # What it left in the `feedback` of its stage; only until the next stage.
    further: bool = False  # Whether it asks for a further pass there.
    skipped: str = ""  # Why it was not run though it could have been, a clause; empty if it was.
    broken: str = ""  # Why the command cannot work with any submission, a clause: it was run without one.


@dataclass(slots=True)
class Observations:
    """What happened while a plan was carried out."""

    # The steps of checks, by the names under which their evidence is kept.
    done: dict[str, list[StepOutcome]] = field(default_factory=dict)
    own: list[StepOutcome] = field(default_factory=list)  # The steps of the case's setup and teardown.
    removed: dict[str, None] = field(default_factory=dict)  # Paths of the submission that were removed.
    removed_count: int = 0  # How many these are; not every path may be listed.
    # Why the case as a whole could not be graded, which is not the candidate's fault.
    faults: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)  # Why it failed whatever its checks say.
    in_question: bool = False  # Whether the submission may have caused a fault: the setup failed with it.
    # Without what submission checks that are an error can be judged, such as `the reference`; by the names under which
    # evidence is kept.
    works_with: Mapping[str, str] = field(default_factory=dict)
    memory: MemoryState = field(default_factory=MemoryState)  # The sandbox's, at its end.
    image_id: str = ""
    services: Mapping[str, str] = field(default_factory=dict)  # The ids of the images of its services, by name.
    machine: Mapping[str, str] = field(default_factory=dict)  # What it ran on, as in `Result`.
    gaps: tuple[str, ...] = ()  # What the sandbox was to enforce and may not have, a sentence each.
    tampering: list[Tampering] = field(default_factory=list)
    judgments: dict[str, Judgment] = field(default_factory=dict)  # What judges replied, by the keys of the questions.
    audits: tuple[str, ...] = ()  # What judges who read for cheating found, a sentence each.


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that a verdict was decided by, besides the case; fields are as in `Observations`."""

    submission: str  # The digest of the submission.
    done: Mapping[str, tuple[StepOutcome, ...]] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    tampering: tuple[Tampering, ...] = ()
    # What else the steps depended on, as `fingerprint.plan_hashes` returns it.
    plan_hashes: Annotated[Mapping[str, str], Field(validation_alias=AliasChoices("plan_hashes", "basis"))] = field(
        default_factory=dict
    )
    # What they could read, as `fingerprint.stdin_hashes` returns it, by the same names as `done`.
    stdin_hashes: Annotated[
        Mapping[str, Mapping[str, str]], Field(validation_alias=AliasChoices("stdin_hashes", "told"))
    ] = field(default_factory=dict)
    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    works_with: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one check is judged by."""

    done: tuple[StepOutcome, ...] = ()  # The steps of the check itself, in order.
    # The steps of its members, by the names of these (see `part`).
    within: Mapping[str, tuple[StepOutcome, ...]] = field(default_factory=dict)
    output: str | None = None  # The text of the answer, None when the submission brought none.
    transcript: Transcript | None = None  # How the answer came about, None when the submission does not say.
    earlier: str = ""  # Of a turn: what was said before the answer, the candidate's own words among it.
    tree: Tree = Tree()  # The case's workspace with the submission laid over it; `before` is without it.
    before: Tree = Tree()
    no_workspace: str = ""  # Why `tree` is not what the candidate left, as in `Submission`; empty if it is.
    # The checks of the same case that were judged before, by name.
    results: Mapping[str, CheckResult] = field(default_factory=dict)
    members: tuple[CheckResult, ...] = ()  # Of a check that is made of others, what these came to, in order.
    # What judges replied, by the keys of the questions.
    judgments: Mapping[str, Judgment] = field(default_factory=dict)
    # As in `Observations`, of the check itself under an empty name.
    works_with: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, judgments: Mapping[str, Judgment] | None = None) -> Self:
        """Return what is known of a submission before any command runs, and what judges said of it."""
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
        """The text of the answer, otherwise the last message of the transcript's assistant."""
        if self.output is not None or self.transcript is None:
            return self.output
        return self.transcript.output


def part(check: str, member: str) -> str:
    """Return the name under which the steps of a member of a check are kept."""
    return f"{check}{_PART}{member}"


def names_in(kept: str) -> list[str]:
    """Return the names that lead to where steps are kept: of a check, of a member of it, of a member of that."""
    return kept.split(_PART)


def of_check(evidence: Evidence, name: str, done: Mapping[str, Sequence[StepOutcome]]) -> Evidence:
    """Return the evidence for one check: that for all checks, with its own steps and those of its members."""
    prefix = part(name, "")
    within = {key.removeprefix(prefix): tuple(ran) for key, ran in done.items() if key.startswith(prefix)}
    works_with = {
        key.removeprefix(prefix) if key != name else "": subject
        for key, subject in evidence.works_with.items()
        if key == name or key.startswith(prefix)
    }
    return replace(evidence, done=tuple(done.get(name, ())), within=within, works_with=works_with)


def answer_text(evidence: Evidence) -> str | None:
    """Return the answer, None when the submission brought none.

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
        OSError: If it was there and cannot be read any more, which is not the candidate's doing.
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
        # A link of the candidate's is never followed: on this side of the sandbox it could lead anywhere.
        raise TextUnreadable(f"{clean} is a {entry.kind}")
    if entry.size > MAX_TEXT_BYTES:
        raise TextUnreadable(f"{clean} has {entry.size} bytes, more than the limit of {MAX_TEXT_BYTES}")
    return content(entry)[:MAX_TEXT_BYTES].decode("utf-8", "replace")


def workspace_path(path: str) -> str:
    """Return a path in the form in which trees have it."""
    return normpath(path.removeprefix(f"{WORKSPACE}/"))

"""What an interactor leaves for its judge and for its next pass."""

from __future__ import annotations

from fake_engine import FakeEngine

from gradebox.graders.grading.stages import feedback
from gradebox.graders.model.evidence import StepOutcome
from gradebox.graders.model.plan import Role, Stage, Step
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Ending, Outcome, SandboxSpec

STEP = Step(Role.TEST, "#1", ("talk",), "/workspace", 1.0)
STAGE = Stage("#1", 1, (), (STEP,), "io", feedback="said", next_input="place/input")
RAN = StepOutcome(STEP, Outcome(Ending.EXITED, 0))
FOLDER = ArchiveEntry("said", EntryKind.DIRECTORY, 0o700)


def test_a_further_pass_gets_its_input_and_what_was_left() -> None:
    left = (FOLDER, file_entry("said/nextpass.in", b"2"), file_entry("said/state", b"x"))
    stage = feedback.continued(STAGE, left)
    assert [(entry.path, entry.data) for entry in stage.delivered] == [("place/input", b"2")]
    assert [entry.path for entry in stage.left] == ["said", "said/state"]


def test_what_a_submission_has_put_there_is_gone() -> None:
    engine = FakeEngine()
    with Sandbox(engine, SandboxSpec("image", apart=True)) as sandbox:
        uid = sandbox.uid(STAGE.user)
        sandbox.put((FOLDER, file_entry("said/judgemessage.txt", b"forged")), uid=sandbox.candidate_uid(STAGE.user))
        feedback.lay_out(sandbox, STAGE)
        left = sandbox.get(["said"], limit_bytes=1 << 20, grader=uid)
        assert not any(entry.path == "said/judgemessage.txt" for entry in left)


def test_a_message_and_the_wish_for_a_pass_are_found() -> None:
    engine = FakeEngine()
    with Sandbox(engine, SandboxSpec("image", apart=True)) as sandbox:
        feedback.lay_out(sandbox, STAGE)
        assert not feedback.fetched(sandbox, STAGE, RAN).further
        files = (file_entry("said/judgemessage.txt", b"no"), file_entry("said/nextpass.in", b"2"))
        sandbox.put(files, uid=sandbox.uid(STAGE.user))
        ran = feedback.fetched(sandbox, STAGE, RAN)
    assert ran.artifact is not None
    assert (ran.artifact.data, ran.further, {entry.path for entry in files} <= {entry.path for entry in ran.left}) == (
        b"no", True, True,
    )  # fmt: skip

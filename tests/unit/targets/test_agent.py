"""A command as a target, against the scripted engine: what it sees, what it hands in, and whose fault it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders import Grader, Task
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.settings import Settings
from gradebox.graders.model.case import Case, CommandSpec, Hook, Message, Place
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import MAX_DEPTH, content
from gradebox.graders.model.verdict import Status
from gradebox.graders.targets.agent import AgentLimits, CliTarget
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.limits import MIB, Limits, Network
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.users import FIRST_UID

Act = Callable[[FakeRun], FakeEnd] | FakeEnd


class Stand:
    """A case, an engine, and what each program does."""

    def __init__(self, root: Path, **acts: Act) -> None:
        self.root = root
        self.acts: Mapping[str, Act] = acts
        self.runs: list[FakeRun] = []
        self.engine = FakeEngine(self.script, references=("image", "agents"))
        self.settings = Settings(image_of=lambda _: "image")
        for name, text in {
            "workspace/app.py": "old\n",
            "workspace/lib/util.py": "util\n",
            "grading/secret.py": "the tests",
            "reference/app.py": "the solution",
            "prepare.sh": "a hook",
        }.items():
            path = root / "case" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def script(self, run: FakeRun) -> FakeEnd:
        self.runs.append(replace(run, files=dict(run.files)))
        act = self.acts.get(run.argv[0], FakeEnd())
        return act(run) if callable(act) else act

    def case(self, **changes: Any) -> Case:
        directory = self.root / "case"
        place = Place(directory / "case.yaml")
        known: dict[str, Any] = {
            "id": "fix",
            "place": place,
            "directory": directory,
            "roots": (directory,),
            "checks": (CodeGrader(name="check", place=place, command=CommandSpec(("check",))),),
            "workspace": directory / "workspace",
            "grading": directory / "grading",
            "reference": directory / "reference",
            "input": (Message("user", "Fix it.\n"),),
            "language": "python",
        }
        return Case(**(known | changes))

    def target(self, **changes: Any) -> CliTarget:
        known = {"name": "agent", "place": Place(self.root / "targets.yaml", 1, 3), "command": CommandSpec(("agent",))}
        return CliTarget(**(known | changes))

    def produce(self, case: Case | None = None, **changes: Any) -> Submission:
        made = self.target(**changes).produce(self.engine, case or self.case(), self.settings)
        assert self.engine.open_containers == (), "a sandbox was left"
        assert self.settings.live == {}
        return made

    @property
    def run(self) -> FakeRun:
        return next(run for run in self.runs if run.argv[0] == "agent")


def rewriting(**files: str | None) -> Act:
    """Return what writes files (``__`` is a slash) and removes those without a text."""

    def act(run: FakeRun) -> FakeEnd:
        for name, text in files.items():
            path = name.replace("__", "/")
            if text is None:
                del run.files[path]
            else:
                run.files[path] = text.encode()
        return FakeEnd()

    return act


def files(submission: Submission) -> dict[str, bytes]:
    return {entry.path: content(entry) for entry in submission.tree.files()}


def test_what_changed_is_handed_in(tmp_path: Path) -> None:
    made = Stand(tmp_path, agent=rewriting(**{"app.py": "new", "docs__a.md": "a", "lib__util.py": None})).produce()
    assert (made.name, made.form, made.problem, made.fault) == ("agent", Form.DIRECTORY, "", "")
    assert files(made) == {"app.py": b"new", "docs/a.md": b"a"}
    assert "lib/util.py" in made.deleted


def test_it_sees_the_workspace_and_the_prompt_and_nothing_hidden(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.produce(env={"LEVEL": "high"}, command=CommandSpec(("agent", "--prompt={prompt_file}", "{other}")))
    run = stand.run
    assert set(run.files) == {"app.py", "lib/util.py", ".gradebox/prompt.md"}
    assert run.files[".gradebox/prompt.md"] == run.stdin == b"Fix it.\n"
    assert run.argv == ("agent", "--prompt=/workspace/.gradebox/prompt.md", "{other}")
    assert run.protected == {".gradebox/prompt.md"}
    assert (run.cwd, run.env["LEVEL"], run.uid > FIRST_UID) == ("/workspace", "high", True)


def test_it_gets_neither_the_environment_of_the_case_nor_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "k")
    stand = Stand(tmp_path)
    stand.produce(stand.case(env={"OF_CASE": "1"}))
    assert not {"OF_CASE", "API_KEY"} & set(stand.run.env)


def test_its_sandbox_is_the_targets(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    limits = Limits(memory_bytes=64 * MIB, pids=10, network=Network.BRIDGE)
    stand.produce(stand.case(limits=limits))
    stand.produce(
        stand.case(limits=limits),
        image="agents",
        network=Network.BRIDGE,
        limits=AgentLimits(memory=128 * MIB, cpus=2, pids=20, disk=512 * MIB),
    )
    plain, own = stand.engine.created
    assert (plain.image, plain.limits) == ("image", replace(limits, network=Network.NONE))
    assert own.image == "agents"
    assert own.limits == replace(
        limits, memory_bytes=128 * MIB, cpus=2, pids=20, disk_bytes=512 * MIB, file_bytes=512 * MIB
    )


def test_hooks_come_first_and_what_they_do_is_not_the_targets_work(tmp_path: Path) -> None:
    def hook(run: FakeRun) -> FakeEnd:
        assert "prepare.sh" in run.files
        assert "grading/secret.py" not in run.files
        run.files["config"] = b"from the hook"
        return FakeEnd()

    stand = Stand(tmp_path, hook=hook, agent=rewriting(**{"app.py": "x"}))
    command = CommandSpec(("hook", "prepare.sh", "grading/secret.py"))
    hooks = tuple(Hook(when, "suite", command, tmp_path) for when in ("before_each", "after_each"))
    made = stand.produce(stand.case(hooks=hooks))
    assert [run.argv[0] for run in stand.runs] == ["hook", "agent"]
    assert set(stand.run.files) == {"app.py", "lib/util.py", "config", ".gradebox/prompt.md"}
    assert (files(made), made.deleted) == ({"app.py": b"x"}, ())


def test_a_hook_that_fails_is_no_failure_of_the_target(tmp_path: Path) -> None:
    stand = Stand(tmp_path, hook=FakeEnd(exit_code=3))
    made = stand.produce(stand.case(hooks=(Hook("before_each", "suite", CommandSpec(("hook",)), tmp_path),)))
    assert (made.problem, [run.argv[0] for run in stand.runs]) == ("", ["hook"])
    assert "before_each of suite (hook) failed: exit status 3" in made.fault


ANSWER = "```python\nx = 1\n```\n"


def test_what_it_prints_is_the_work_where_it_changes_nothing(tmp_path: Path) -> None:
    made = Stand(tmp_path, agent=FakeEnd(stdout=ANSWER.encode())).produce()
    assert (made.output, files(made)) == (ANSWER, {"solution.py": b"x = 1\n"})


def test_what_it_prints_without_any_code_is_no_work(tmp_path: Path) -> None:
    made = Stand(tmp_path, agent=FakeEnd(stdout=b"There is nothing to do.")).produce()
    assert (made.form, made.output, files(made)) == (Form.NOTHING, "There is nothing to do.", {})


def test_what_it_writes_as_its_answer_may_be_bare_code(tmp_path: Path) -> None:
    stand = Stand(tmp_path, agent=rewriting(out__answer="x = 1\n"))
    assert files(stand.produce(output_file="out/answer")) == {"solution.py": b"x = 1\n"}


def test_what_it_prints_is_its_answer_where_it_changes_something(tmp_path: Path) -> None:
    def agent(run: FakeRun) -> FakeEnd:
        run.files["app.py"] = b"new"
        return FakeEnd(stdout=ANSWER.encode())

    made = Stand(tmp_path, agent=agent).produce()
    assert (made.output, files(made)) == (ANSWER, {"app.py": b"new"})


def test_files_about_the_work_are_no_part_of_it(tmp_path: Path) -> None:
    said = '{"role": "assistant", "content": "StepOutcome."}'
    stand = Stand(tmp_path, agent=rewriting(**{"answer.md": ANSWER, "log.jsonl": said, ".git__config": "x"}))
    made = stand.produce(output_file="answer.md", transcript_file="log.jsonl")
    assert (made.output, files(made), made.deleted) == (ANSWER, {"solution.py": b"x = 1\n"}, ())
    assert made.transcript is not None
    assert made.transcript.output == "StepOutcome."


def test_nothing_done_is_the_untouched_workspace(tmp_path: Path) -> None:
    made = Stand(tmp_path).produce()
    assert (made.form, files(made), made.output) == (Form.NOTHING, {}, "")


@pytest.mark.parametrize(
    ("end", "changes", "problem"),
    [
        (FakeEnd(exit_code=2, stderr=b"usage\nno such model\n\n"), {}, "exit status 2 (no such model)"),
        (FakeEnd(exit_code=-9), {}, "signalled: It was ended by SIGKILL."),
        (
            FakeEnd(cause=Cause.DEADLINE),
            {"timeout_seconds": 7},
            "timed out: It was still running after 7 s of wall time",
        ),
        (FakeEnd(), {"output_file": "answer.md"}, "it did not write answer.md"),
        (FakeEnd(), {"transcript_file": "lib"}, "it did not write lib"),
        (FakeEnd(), {"transcript_file": "app.py"}, "its app.py cannot be read: Line 1 of the transcript is not JSON"),
    ],
)
def test_what_is_the_targets_fault(tmp_path: Path, end: FakeEnd, changes: dict[str, Any], problem: str) -> None:
    made = Stand(tmp_path, agent=end).produce(**changes)
    assert made.problem.startswith(f"The target agent failed: {problem}")
    assert (made.fault, made.form) == ("", Form.NOTHING)


@pytest.mark.parametrize(
    ("end", "changes", "fault"),
    [
        (
            FakeEnd(cause=Cause.NOT_STARTED, errno=2),
            {},
            "the target agent could not run: the program 'agent' was not found",
        ),
        (FakeEnd(lost=True), {}, "the target agent could not run: sandbox lost"),
        (FakeEnd(), {"image": "none"}, "There is no image none."),
    ],
)
def test_what_is_not(tmp_path: Path, end: FakeEnd, changes: dict[str, Any], fault: str) -> None:
    made = Stand(tmp_path, agent=end).produce(**changes)
    assert fault in made.fault
    assert made.problem == ""


def test_a_missing_file_of_the_prompt_is_the_cases_fault(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    block = {"type": "file", "value": "log.txt", "path": str(tmp_path / "log.txt")}
    made = stand.produce(stand.case(input=(Message("user", (block,)),)))
    assert "log.txt" in made.fault


def test_nothing_begins_after_a_stop(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.settings.stop.set()
    assert stand.produce().fault == "The run was interrupted."
    assert stand.engine.created == []


# Result


def graded(stand: Stand, case: Case) -> Result:
    with Grader(engine=stand.engine) as grader:
        object.__setattr__(grader, "_settings", stand.settings)
        (found,) = grader.grade_many([Task(replace(case, image="image"), stand.target())])
    assert stand.engine.open_containers == ()
    return found


def test_what_a_target_hands_in_is_graded_in_a_sandbox_of_its_own(tmp_path: Path) -> None:
    def check(run: FakeRun) -> FakeEnd:
        return FakeEnd(exit_code=0 if run.files["app.py"] == b"new" else 1)

    stand = Stand(tmp_path, agent=rewriting(**{"app.py": "new"}), check=check)
    found = graded(stand, stand.case(target="baseline"))
    assert (found.verdict.status, found.target, found.submission) == (Status.PASSED, "baseline", "agent")
    assert len(stand.engine.created) == 2
    assert [(step.role, step.argv, step.passed) for step in found.own_steps] == [("target", ("agent",), True)]


def test_a_target_that_fails_is_a_failed_verdict_with_its_reason(tmp_path: Path) -> None:
    stand = Stand(tmp_path, agent=FakeEnd(exit_code=1, stderr=b"quota exceeded"))
    found = graded(stand, stand.case())
    assert (found.verdict.status, found.verdict.score) == (Status.FAILED, 0.0)
    assert found.verdict.reasons == ("The target agent failed: exit status 1 (quota exceeded)",)
    assert [(step.role, step.passed, step.outcome.exit_code) for step in found.own_steps] == [("target", False, 1)]


def test_a_fault_that_is_ours_is_an_error(tmp_path: Path) -> None:
    stand = Stand(tmp_path)
    stand.engine.refuse = [ImageUnavailable("The engine is on fire.")]
    found = graded(stand, stand.case())
    assert (found.verdict.status, found.verdict.score) == (Status.ERROR, None)
    assert "The engine is on fire." in " ".join(found.verdict.reasons)


def test_directories_in_directories_without_end_are_the_targets_failure(tmp_path: Path) -> None:
    made = Stand(tmp_path, agent=rewriting(**{"__".join("a" for _ in range(MAX_DEPTH + 2)): "x"})).produce()
    assert "nested deeper than" in made.problem

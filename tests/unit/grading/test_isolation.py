"""Who runs each step of a stage that is apart, what is delivered there, and what surrounds a command."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.expect import Expect
from gradebox.graders.grading import isolation
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.crossing import Isolation
from gradebox.graders.model.plan import Files, Plan, User
from gradebox.graders.model.tree import Tree
from gradebox.graders.runners import AUTO
from gradebox.graders.runners.adapter import NONE
from gradebox.graders.runners.test_reports.report_entry import ReportEntry
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import (
    CANDIDATE_DIRECTORY,
    GRADER_HOME,
    GRADER_TMPDIR,
    REPORT_VARIABLE,
    Command,
    SandboxSpec,
)

PLACE = Place(Path("case.yaml"))


def tree(paths: Iterable[str]) -> Tree:
    return Tree({path: file_entry(path, b"") for path in sorted(paths)})


def check(*argv: str, **changes: Any) -> CodeGrader:
    asked = {"name": "check", "place": PLACE, "command": CommandSpec(argv), "adapter": NONE, "isolation": "apart"}
    return CodeGrader(**(asked | changes))


def plan(asked: CodeGrader, **changes: Any) -> Plan:
    case = Case(**{"id": "case", "place": PLACE, "directory": Path("/case"), "checks": (asked,)} | changes)
    own = tree(["grading/judge.py", "grading/judge.mjs", "grading/judge.sh", "grading/deep/a.jl"])
    workspace = tree(["tests/own.py", "app.py"])
    files = Files(workspace, own, frozenset({"app.py"}))
    laid = tree(["tests/own.py", "app.py", "main.py"])
    return make_plan(case, files, laid, image="image")


@pytest.mark.parametrize(
    ("argv", "user"),
    [
        (("python3", "grading/judge.py"), User.GRADER),
        (("python3", "tests/own.py"), User.GRADER),
        (("sh", "-c", "echo 1 | candidate python3 app.py"), User.GRADER),
        (("sh", "-c", "python3 grading/judge.py app.py"), User.GRADER),
        (("candidate", "python3", "app.py"), User.GRADER),
        (("python3", "-c", "from gradebox_candidate import run"), User.GRADER),
        (("python3", "app.py"), User.CANDIDATE),
        (("python3", "main.py", "grading/judge.py"), User.CANDIDATE),
        (("./main.py",), User.CANDIDATE),
        (("sh", "-c", "cd . && python3 app.py && python3 grading/judge.py"), User.CANDIDATE),
        (("make", "test"), User.CANDIDATE),
        (("python3", "-c", "import app"), User.CANDIDATE),
    ],
)
def test_who_runs_a_command(argv: tuple[str, ...], user: User) -> None:
    (stage,) = plan(check(*argv)).stages
    assert stage.apart
    assert [step.user for step in stage.steps] == [user]
    # Only a grader reads what graders are given.
    assert bool(stage.steps[0].stdin) == (user is User.GRADER)


@pytest.mark.parametrize(
    ("of_check", "of_case", "apart"),
    [
        (None, Isolation.IN_PROCESS, False),
        (None, Isolation.APART, True),
        ("in-process", Isolation.APART, False),
        ("apart", Isolation.IN_PROCESS, True),
    ],
)
def test_a_check_says_it_before_its_case(of_check: str | None, of_case: Isolation, *, apart: bool) -> None:
    (stage,) = plan(check("python3", "grading/judge.py", isolation=of_check), isolation=of_case).stages
    assert stage.apart is apart
    assert ("grading/gradebox_candidate.py" in {entry.path for entry in stage.delivered}) is apart


def test_a_test_runner_that_loads_the_submission_is_not_apart() -> None:
    (stage,) = plan(check("vitest", "run", "grading", adapter=AUTO)).stages
    assert not stage.apart


def test_tests_of_javascript_are_apart_with_what_loads_the_submission_elsewhere() -> None:
    (bun,) = plan(check("bun", "test", "grading", adapter=AUTO)).stages
    (node,) = plan(check("node", "--test", "grading", adapter=AUTO)).stages
    assert bun.apart
    assert node.apart
    assert ".gradebox/node_test_apart.mjs" in {entry.path for entry in node.delivered}
    assert "class Candidate extends Peer" in "".join(bun.steps[0].argv)


def test_the_control_and_the_setup_are_the_graders_too() -> None:
    asked = check(
        "python3",
        "grading/judge.py",
        control=CommandSpec(("python3", "grading/judge.py", "no")),
        setup=(CommandSpec(("sh", "grading/judge.sh")),),
    )
    stages = plan(asked).stages
    assert [[step.user for step in stage.steps] for stage in stages] == [[User.GRADER, User.GRADER]] * 2


def test_modules_lie_beside_what_may_import_them() -> None:
    (stage,) = plan(check("sh", "grading/judge.sh")).stages
    assert [entry.path for entry in stage.delivered if "gradebox_candidate" in entry.path] == [
        "grading/deep/gradebox_candidate.jl",
        "grading/gradebox_candidate.mjs",
        "grading/gradebox_candidate.py",
    ]


@pytest.mark.parametrize("protocol", ["exit", "json"])
def test_a_grader_has_a_home_and_a_path_of_its_own(protocol: str) -> None:
    made = plan(check("python3", "grading/judge.py", protocol=protocol))
    (stage,) = made.stages
    with Sandbox(FakeEngine(), SandboxSpec("image", apart=True)) as sandbox:
        found = isolation.surroundings(sandbox, made, stage, stage.steps[0])
    assert found["uid"] == sandbox.uid(stage.user)
    assert (found["env"]["HOME"], found["env"]["TMPDIR"]) == (GRADER_HOME, GRADER_TMPDIR)
    assert found["env"]["PATH"].startswith(f"{CANDIDATE_DIRECTORY}:")
    assert found["candidates"].own_stdout is (protocol == "json")
    assert found["candidates"].first_uid == sandbox.candidate_uid(stage.user)


@pytest.mark.parametrize(
    ("line", "expect", "own"),
    [
        (["sh", "grading/judge.sh"], Expect(stdout="1 of 1 passed\n"), True),
        (["sh", "grading/judge.sh"], Expect(stdout_regex="^1 of 1 passed$"), True),
        (["sh", "grading/judge.sh"], Expect(exit_code=1), False),
        (["sh", "-c", "sh grading/judge.sh; candidate sort out"], Expect(stdout="1\n"), False),
        (["python3", "app.py"], Expect(stdout="1\n"), False),
    ],
    ids=["text", "pattern", "status", "names the program", "is the program"],
)
def test_what_decides_is_printed_by_the_grader_itself(line: list[str], expect: Expect, own: bool) -> None:
    (stage,) = plan(check(*line, expect=expect)).stages
    assert stage.steps[0].own_stdout is own


def test_a_grader_knows_which_report_the_submission_does_not_write() -> None:
    made = plan(check("sh", "grading/judge.sh", report=ReportEntry(format="tap", path="out/report.tap")))
    (stage,) = made.stages
    with Sandbox(FakeEngine(), SandboxSpec("image", apart=True)) as sandbox:
        found = isolation.surroundings(sandbox, made, stage, stage.steps[0])
    assert found["env"][REPORT_VARIABLE] == "/workspace/out/report.tap"


def test_the_candidate_has_no_candidate() -> None:
    made = plan(check("python3", "app.py"))
    (stage,) = made.stages
    with Sandbox(FakeEngine(), SandboxSpec("image", apart=True)) as sandbox:
        found = isolation.surroundings(sandbox, made, stage, stage.steps[0])
    assert found["uid"] == sandbox.candidate_uid(stage.user)
    assert "candidates" not in found


def test_options_of_bun_are_the_graders_and_only_the_authors_are_the_candidates() -> None:
    made = plan(check("bun", "grading/judge.mjs", env={"BUN_OPTIONS": "--smol"}))
    (stage,) = made.stages
    with Sandbox(FakeEngine(), SandboxSpec("image", apart=True)) as sandbox:
        found = isolation.surroundings(sandbox, made, stage, stage.steps[0])
    own = "--config=/dev/null --env-file=/dev/null --tsconfig-override=/dev/null --smol"
    assert (found["env"]["BUN_OPTIONS"], found["candidates"].env["BUN_OPTIONS"]) == (own, "--smol")


def test_a_runner_of_ours_is_told_which_files_are_the_cases() -> None:
    made = plan(check("pytest", "tests", adapter=AUTO))
    (stage,) = made.stages
    watch: list[FakeRun] = []
    engine = FakeEngine(lambda run: watch.append(run) or FakeEnd())
    with Sandbox(engine, SandboxSpec("image", apart=True)) as sandbox:
        isolation.lay_out(sandbox, made, stage)
        sandbox.run(Command(stage.steps[0].argv, **isolation.surroundings(sandbox, made, stage, stage.steps[0])))
    (ran,) = watch
    assert ran.env["GRADEBOX_APART"] == "/workspace/.gradebox/apart.json"
    assert "tests/own.py" in json.loads(ran.files[".gradebox/apart.json"])["files"]


def test_a_variable_gets_its_new_name_wherever_it_comes_from_and_no_cache_is_the_graders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = plan(check("python3", "-m", "pytest", "grading", adapter=AUTO))
    (stage,) = made.stages
    around = {"PYTHONPATH": "/workspace", "PYTHONPYCACHEPREFIX": "/workspace/cache"}
    monkeypatch.setattr(Sandbox, "env", property(lambda self: around))
    with Sandbox(FakeEngine(), SandboxSpec("image", apart=True)) as sandbox:
        found = isolation.surroundings(sandbox, made, stage, stage.steps[0])["env"]
    assert found["GRADEBOX_PYTHONPATH"] == "/workspace"
    assert around.keys().isdisjoint(found)

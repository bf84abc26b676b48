"""What will be done: which words name files, what is delivered to whom, what is put back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.grader_io import hook_input
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.integrity.control_files import control_globs
from gradebox.graders.languages.language import MODULES
from gradebox.graders.model.case import Case, CommandSpec, Hook, Place
from gradebox.graders.model.plan import Files, Plan, Role, Stage
from gradebox.graders.model.tree import Tree, overlay
from gradebox.graders.runners.adapter import AUTO, NONE
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.users import USERS

PLACE = Place(Path("case.yaml"))


def tree(*paths: str) -> Tree:
    entries = {
        path.rstrip("/"): ArchiveEntry(path.rstrip("/"), EntryKind.DIRECTORY)
        if path.endswith("/")
        else file_entry(path, b"")
        for path in paths
    }
    return Tree({path: entries[path] for path in sorted(entries)})


def command(*argv: str, **changes: Any) -> CommandSpec:
    return CommandSpec(argv, **changes)


def check(*argv: str, **changes: Any) -> CodeGrader:
    return CodeGrader(**{"name": "check", "place": PLACE, "command": command(*argv), "adapter": NONE} | changes)


def plan(
    *checks: CodeGrader, workspace: Iterable[str] = (), own: Iterable[str] = (), brought: Iterable[str] = (),
    solution: Iterable[str] = (), **changes: Any,
) -> Plan:  # fmt: skip
    case = Case(
        **{"id": "case", "place": PLACE, "directory": Path("/case"), "checks": checks or (check("true"),)} | changes
    )
    files = Files(tree(*workspace), tree(*own), frozenset(solution))
    return make_plan(case, files, overlay(files.workspace, tree(*brought)), image="image")


def delivered(stage: Stage) -> list[str]:
    return [entry.path for entry in stage.delivered]


OWN = ("grading/", "grading/a.py", "grading/deep/", "grading/deep/b.txt", "helper.sh", "lib/", "lib/x", "lib/y")
GRADING, LIB = [path.rstrip("/") for path in OWN[:4]], ["lib", "lib/x", "lib/y"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (check("true"), []),
        (check("python3", "grading/a.py"), GRADING),
        (check("pytest", "grading"), GRADING),
        (check("sh", "-c", "cat grading/deep/*.txt"), GRADING),
        (check("pytest", "grading/a.py::test_x"), GRADING),
        (check("sh", "helper.sh"), ["helper.sh"]),
        (check("sh", "-c", "cat *"), []),
        (check("sh", "-c", "cat *.sh */a.py"), []),
        (check("ls", "lib"), LIB),
        (check("cat", "lib/x"), ["lib/x"]),
        (check("cat", "x", cwd="lib"), ["lib/x"]),
        (check("cat", env={"CONFIG": "lib/y"}), ["lib/y"]),
        (check("", command=command("ls", cwd="lib", env={"A": "helper.sh"})), ["helper.sh", *LIB]),
        (check("true", setup=(command("sh", "helper.sh"),)), ["helper.sh"]),
        (check("grading-tool", "my-grading/a.py", "a.py"), []),
    ],
)
def test_what_a_stage_names_is_delivered_to_it_and_all_of_grading_with_a_part(
    asked: CodeGrader, found: list[str]
) -> None:
    (stage,) = plan(asked, own=OWN).stages
    assert delivered(stage) == found


def test_a_control_gets_what_it_names_itself_and_no_more() -> None:
    main, control = plan(check("true", control=command("sh", "helper.sh")), own=OWN).stages
    assert (delivered(main), delivered(control)) == ([], ["helper.sh"])


WORKSPACE = (
    "main.py",
    "src/",
    "src/a.py",
    "src/a.test.ts",
    "tests/",
    "tests/test_a.py",
    "tests/data.json",
    "conftest.py",
    "Makefile",
)


TESTS = {"src/a.test.ts", "tests/test_a.py", "tests/data.json"}
# Where any tests run.
ALWAYS = {"conftest.py", "tests/data.json"}


@pytest.mark.parametrize(
    ("argv", "changes", "found"),
    [
        (["true"], {}, {"conftest.py"}),
        (["pytest", "tests/test_a.py"], {}, {*ALWAYS, "tests/test_a.py"}),
        (["pytest", "tests"], {}, {*ALWAYS, "tests/test_a.py"}),
        (["sh", "-c", "pytest tests/*.py"], {}, {*ALWAYS, "tests/test_a.py"}),
        (["pytest", "test_a.py"], {"cwd": "tests"}, {*ALWAYS, "tests/test_a.py"}),
        # Which tests run is known to pytest, or to a Makefile: any of them.
        (["pytest", "-c", "src/a.py"], {}, {"conftest.py", "src/a.py", *TESTS}),
        (["pytest"], {"solution": ["tests/test_a.py"]}, {"conftest.py", *TESTS} - {"tests/test_a.py"}),
        (["pytest", "-q"], {"allow": ("tests/",)}, {"conftest.py", "src/a.test.ts"}),
        (["sh", "-c", "cd src && bun test"], {}, {*ALWAYS, "src/a.test.ts"}),
        (["make", "-f", "Makefile"], {}, {"conftest.py", "Makefile", *TESTS}),
        (["sh", "-c", "test -f main.py"], {}, {"conftest.py", "main.py"}),
        # What a submission is about is not undone.
        (["ruff", "check", "src"], {}, {"conftest.py", "src/a.test.ts"}),
        (["python3", "-m", "src"], {}, {"conftest.py"}),
        (["python3", "main.py"], {}, {"conftest.py", "main.py"}),
        (["python3", "main.py"], {"solution": ["main.py"]}, {"conftest.py"}),
        (["pytest", "tests/test_a.py"], {"solution": ["tests/test_a.py"]}, {*ALWAYS, "tests/test_a.py"}),
        (["true"], {"protect": ("*.json", "src/")}, {"conftest.py", "tests/data.json", "src/a.py", "src/a.test.ts"}),
        (["pytest", "tests"], {"allow": ("tests/", "conftest.py")}, set()),
        (["true"], {"allow": ("conftest.py",), "protect": ("conftest.py",)}, {"conftest.py"}),
    ],
)
def test_what_belongs_to_the_judge_is_put_back(argv: list[str], changes: dict[str, Any], found: set[str]) -> None:
    found_plan = plan(check(*argv, cwd=changes.pop("cwd", "")), workspace=WORKSPACE, **changes)
    assert {entry.path for entry in found_plan.restored} == found


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (["npm", "test"], {"scripts/check.js", "scripts/more.js"}),
        (["sh", "-c", "bun run test"], {"scripts/check.js", "scripts/more.js"}),
        (["pnpm", "run", "check:all"], {"scripts/more.js"}),
        (["npm", "run", "build"], set()),
        # What a script has looked at, or built, may be what the candidate was asked for.
        (["npm", "run", "verify"], {"scripts/more.js"}),
        (["npm", "run", "ci"], {"scripts/more.js"}),
        (["npm", "run", "spec"], {"scripts/more.js"}),
        # A runner of its own.
        (["bun", "test"], set()),
    ],
)
def test_what_a_script_of_tests_names_is_put_back_and_what_others_name_is_not(argv: list[str], found: set[str]) -> None:
    lines = {"test": "npm run build && node scripts/check.js", "posttest": "npm run check:all"}
    more = {"check:all": "node scripts/more.js", "build": "tsc src/main.ts"}
    more["verify"] = "node --check src/main.ts && tsc src/main.ts; A=1 scripts/more.js src/main.ts"
    more["preci"], more["ci"] = "tsc src/main.ts", "npx tsx -r ts-node/register scripts/more.js src/main.ts"
    more["spec"] = "./scripts/more.js"
    files = {"package.json": json.dumps({"scripts": lines | more}), "src/main.ts": ""}
    entries = [
        file_entry(path, text.encode())
        for path, text in {**files, "scripts/check.js": "", "scripts/more.js": ""}.items()
    ]
    workspace = Tree({entry.path: entry for entry in entries})
    case = Case("case", PLACE, Path("/case"), checks=(check(*argv),))
    planned = make_plan(case, Files(workspace, Tree()), workspace, image="image")
    assert {entry.path for entry in planned.restored} == found


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("pytest -q\n", {"run.sh", "tests/test_a.py", "tests/test_b.py"}),
        ("cd tests\nnode --test\n", {"run.sh", "tests/test_a.py", "tests/test_b.py"}),
        ("pytest tests/test_a.py\n", {"run.sh", "tests/test_a.py"}),
        ("# It tests nothing.\n./main\n", {"run.sh"}),
    ],
)
def test_tests_that_a_script_of_the_case_has_run_are_put_back(script: str, found: set[str]) -> None:
    files = {"run.sh": script, "tests/test_a.py": "import pytest\n", "tests/test_b.py": "", "main.py": ""}
    entries = {path: file_entry(path, text.encode()) for path, text in files.items()}
    workspace = Tree({"tests": ArchiveEntry("tests", EntryKind.DIRECTORY), **entries})
    case = Case("case", PLACE, Path("/case"), checks=(check("sh", "run.sh"),))
    planned = make_plan(case, Files(workspace, Tree()), workspace, image="image")
    assert {entry.path for entry in planned.restored} == found


def test_control_files_that_are_the_cases_or_allowed_are_kept_and_no_others() -> None:
    brought = ("pytest.ini", "deep/conftest.py", "ok/.env", "main.py")
    found = plan(workspace=["conftest.py"], brought=brought, allow=("ok/.env",))
    assert found.kept_files == ("conftest.py", "ok/.env")
    assert found.removed_globs == control_globs()


def test_every_stage_has_another_user_until_all_have_had_one() -> None:
    found = plan(*(check("true", name=f"#{number}") for number in range(USERS + 1)))
    users = [stage.user for stage in found.stages]
    assert set(users) == set(range(USERS))
    assert all(one != other for one, other in pairwise(users))


@pytest.mark.parametrize(
    ("own", "of_check", "of_case", "whole", "seconds"),
    [
        (None, None, 60.0, 300.0, 60.0),
        (5.0, 7.0, 60.0, 300.0, 5.0),
        (None, 7.0, 60.0, 300.0, 7.0),
        (900.0, None, 60.0, 300.0, 300.0),
    ],
)
def test_the_nearest_deadline_holds_and_never_more_than_the_cases(
    own: float | None, of_check: float | None, of_case: float, whole: float, seconds: float
) -> None:
    asked = check("x", command=command("x", timeout_seconds=own), timeout_seconds=of_check)
    (stage,) = plan(asked, command_seconds=of_case, timeout_seconds=whole).stages
    assert stage.steps[0].limit_seconds == seconds


def test_the_nearest_variable_and_directory_hold() -> None:
    asked = check("x", command=command("x", env={"A": "command"}, cwd="c"), env={"A": "check", "B": "check"}, cwd="k")
    (stage,) = plan(asked, env={"A": "case", "B": "case", "C": "case"}).stages
    assert stage.steps[0].env == {"A": "command", "B": "check", "C": "case"}
    assert stage.steps[0].cwd == "/workspace/c"


@pytest.mark.parametrize(
    ("program", "cwd", "ours"),
    [
        ("pytest", "", True),
        ("/usr/bin/env", "", True),
        ("grading/run", "", True),
        ("./src/a.py", "", True),
        ("./a.py", "src", True),
        ("/workspace/src/a.py", "src", True),
        ("build/program", "", False),
        ("/workspace/build/program", "", False),
        ("./a.py", "", False),
    ],
)
def test_a_program_of_the_workspace_that_the_case_does_not_bring_is_the_candidates(
    program: str, cwd: str, *, ours: bool
) -> None:
    asked = check(program, cwd=cwd)
    (stage,) = plan(asked, workspace=["src/a.py"], own=["grading/run"], brought=["build/program"]).stages
    assert stage.steps[0].program_is_ours is ours


def test_hooks_run_around_setup_and_teardown() -> None:
    hooks = tuple(
        Hook(when, "suite", command(when), Path("/suite"))
        for when in ("before_all", "before_each", "after_each", "after_all")
    )
    found = plan(setup=(command("setup"),), teardown=(command("teardown"),), hooks=hooks)
    assert found.setup is not None
    assert found.teardown is not None
    assert [(step.role, step.argv[0]) for step in found.setup.steps] == [
        (Role.HOOK, "before_all"), (Role.HOOK, "before_each"), (Role.SETUP, "setup"),
    ]  # fmt: skip
    assert [step.argv[0] for step in found.teardown.steps] == ["teardown", "after_each", "after_all"]
    told = {step.argv[0]: step.stdin for step in (*found.setup.steps, *found.teardown.steps)}
    assert told["setup"] == told["teardown"] == b""
    assert told["before_all"] == told["after_each"] == hook_input(found.case)
    assert plan().setup is plan().teardown is None


def test_a_hook_that_is_the_submissions_reads_nothing() -> None:
    hook = Hook("before_each", "suite", command("./prepare.sh"), Path("/suite"))
    found = plan(hooks=(hook,))
    assert found.setup is not None
    assert [step.stdin for step in found.setup.steps] == [b""]


def test_planning_reads_nothing_and_gives_the_same_plan_twice() -> None:
    asked = check("pytest", "grading/a.py")
    assert plan(asked, own=OWN, workspace=WORKSPACE) == plan(asked, own=OWN, workspace=WORKSPACE)


@pytest.mark.parametrize(("command", "names"), [("pytest", "calendar !copy"), ("bats", None)])
def test_steps_of_python_know_the_modules_of_the_case(command: str, names: str | None) -> None:
    planned = plan(check(command, adapter=AUTO), workspace=["calendar.py", "zoo/"], solution=["copy.py", "notes.md"])
    ((step,),) = (stage.steps for stage in planned.stages)
    assert step.env.get(MODULES) == names


@pytest.mark.parametrize(
    ("argv", "cwd", "whole"),
    [
        (("sh", "../grading/a.sh", "../b"), "src", ("sh", "/workspace/grading/a.sh", "../b")),
        (("sh", "--to=../grading/a.sh"), "src/x/..", ("sh", "--to=/workspace/grading/a.sh")),
        (("sh", "-c", "cd src && sh ../grading/a.sh -x"), "", ("sh", "-c", "cd src && sh /workspace/grading/a.sh -x")),
        (("sh", "-c", "sh $HERE/../grading/a.sh"), "src", ("sh", "-c", "sh $HERE/../grading/a.sh")),
        (("sh", "grading/a.sh"), "", ("sh", "grading/a.sh")),
    ],
)
def test_files_of_the_case_that_are_named_by_dots_have_whole_paths(
    argv: tuple[str, ...], cwd: str, whole: tuple[str, ...]
) -> None:
    made = plan(check(*argv, cwd=cwd), own=["grading/", "grading/a.sh"], workspace=["src/", "src/x/"])
    step = next(step for stage in made.stages for step in stage.steps)
    assert (step.argv, step.command) == (whole, argv)


def test_a_working_directory_is_named_without_links_of_the_case() -> None:
    link = ArchiveEntry("way", EntryKind.LINK, target="src")
    files = Files(Tree({**tree("src/").entries, "way": link}), Tree(), frozenset())
    case = Case(id="case", place=PLACE, directory=Path("/case"), checks=(check("true", cwd="way"),))
    made = make_plan(case, files, files.workspace, image="image")
    assert [step.cwd for stage in made.stages for step in stage.steps] == ["/workspace/src"]

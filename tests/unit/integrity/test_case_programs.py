"""Which programs are the case's, and which directories are closed for its scripts."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from posixpath import normpath

import pytest
from command_forms import FORMS, Form
from tampering_bench import step, tree

from gradebox.graders.integrity.case_programs import CasePrograms
from gradebox.graders.model.plan import Files
from gradebox.graders.model.tree import overlay
from gradebox.sandbox.types import WORKSPACE

WORK = {"slug.py": "", "judge.py": "", "tests/": "", "tests/check.py": "", "tests/data.json": "", "app/run.py": ""}
OWN = {"grading/": "", "grading/judge.py": "", "ask.py": ""}


def programs(solution: Iterable[str] = ("slug.py",), allow: Iterable[str] = ()) -> CasePrograms:
    return CasePrograms(Files(tree(WORK), tree(OWN), frozenset(solution)), tuple(allow))


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("python3 slug.py hello", "slug.py"),
        ("env A=1 timeout -k 5 10 python3 -I ./slug.py", "slug.py"),
        ("./slug.py < grading/input", "slug.py"),
        ('test "$(python3 slug.py hello)" = world', "slug.py"),
        ('[ "`python3 slug.py`" = world ]', "slug.py"),
        ("diff <(python3 slug.py) grading/wanted", "slug.py"),
        ("if python3 slug.py; then exit 1; fi", "slug.py"),
        ("node not-there-yet.js", "not-there-yet.js"),
        ("python3 not-there-yet.py tests/data.json", "not-there-yet.py"),
        ("./build/app", "build/app"),
        ("python3 judge.py slug.py > out.txt 2>&1", ""),
        ("python3 grading/judge.py --of slug.py", ""),
        ("uv run ask.py", ""),
        ("pytest -q slug.py", ""),
        ("jq .output", ""),
        ("bun test", ""),
        ("bun run ../graders/g.ts", ""),
        ("bun run slug.ts", "slug.ts"),
        ("npx tsx grading/judge.ts", "grading/judge.ts"),
        ("xvfb-run -a python3 judge.py", ""),
        ("python3 slug.py -c config", "slug.py"),
        ("python3 -m slug", "slug.py"),
        ("uv run -m slug", "slug.py"),
        ("python3 -m pytest", ""),
        ("cd grading && python3 judge.py", ""),
        ("set -e\npython3 slug.py", "slug.py"),
    ],
)
def test_a_command_runs_the_candidate_if_a_program_of_it_is_no_file_of_the_case(line: str, candidates: str) -> None:
    assert programs().of_candidate(("sh", "-c", line), WORKSPACE) == candidates
    if not set(line) & set("$<>`;[&\n"):
        assert programs().of_candidate(shlex.split(line), WORKSPACE) == candidates


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.line)
def test_the_file_of_a_command_is_the_candidates_unless_the_case_has_it(form: Form) -> None:
    argv = shlex.split(form.line)
    path = normpath(form.file) if {"/", "."} & set(form.file) and not form.file.startswith("../") else ""
    of_nobody = CasePrograms(Files(tree({}), tree({}), frozenset()))
    assert of_nobody.of_candidate(argv, WORKSPACE) == path
    if path:
        of_case = CasePrograms(Files(tree({}), tree({path: ""}), frozenset()))
        assert (of_case.of_candidate(argv, WORKSPACE), of_case.scripts(argv, WORKSPACE)) == ("", (path,))


def test_a_program_is_looked_for_where_the_command_runs() -> None:
    found = programs(solution=["tests/data.json"])
    assert found.of_candidate(("python3", "check.py"), f"{WORKSPACE}/tests") == ""
    assert found.of_candidate(("python3", "check.py"), WORKSPACE) == "check.py"


def test_what_the_case_allows_to_change_is_the_candidates() -> None:
    assert programs(allow=["judge.py"]).of_candidate(("python3", "judge.py"), WORKSPACE) == "judge.py"


def started(*argv: str, **changes: Iterable[str]) -> tuple[str, ...]:
    laid = overlay(tree(WORK), tree({"json.py": ""}))
    return programs(**changes).started(step(*argv), laid).argv


def test_a_script_of_the_case_finds_the_standard_library_first() -> None:
    program, option, flag, _, *rest = started("python3", "-u", "judge.py", "a b")
    assert (program, option, flag, rest) == ("python3", "-u", "-c", ["judge.py", "a b"])
    in_shell = started("sh", "-c", "python3 ask.py 'a b' > out")
    assert in_shell[:3] == ("sh", "-c", "exec \"$@\" 'a b' > out")
    assert (in_shell[4:6], in_shell[-1]) == (("python3", "-c"), "ask.py")


@pytest.mark.parametrize(
    "line",
    [
        "python3 -I judge.py",
        "python3 slug.py",
        "python3 -m judge",
        "python3 -c 1",
        "node judge.js",
        "bin/python3 judge.py",
    ],
)
def test_other_commands_are_run_as_they_are(line: str) -> None:
    assert started(*shlex.split(line)) == tuple(shlex.split(line))


def test_a_module_of_the_librarys_name_that_the_case_knows_is_meant() -> None:
    for changes in ({"solution": ["calendar.py"]}, {"allow": ["json.py"]}):
        assert started("python3", "judge.py", **changes) == ("python3", "judge.py")


def closed(line: str, brought: Iterable[str] = (), restored: Iterable[str] = (), **changes: Iterable[str]) -> list[str]:
    laid = overlay(tree(WORK), tree(dict.fromkeys(brought, "")))
    return list(programs(**changes).closed([(shlex.split(line), WORKSPACE)], {}, set(restored), laid))


def test_the_directory_of_a_script_has_the_files_of_the_case_alone_and_what_is_named_like_a_test() -> None:
    brought = ["tests/json.py", "tests/test_ours.py", "tests/wording/__init__.py"]
    assert closed("python3 tests/check.py", brought) == [
        "tests",
        "tests/check.py",
        "tests/data.json",
        "tests/test_ours.py",
    ]


@pytest.mark.parametrize("line", ["pytest tests", "sh tests/check.sh", "python3 judge.py", "python3 -m tests.check"])
def test_other_directories_stay_open(line: str) -> None:
    assert closed(line) == []


def test_a_directory_in_which_the_candidate_has_work_to_do_stays_open() -> None:
    assert closed("python3 tests/check.py", solution=["tests/new.py"]) == []
    assert closed("python3 tests/check.py", allow=["tests/"]) == []
    assert closed("python3 app/run.py", solution=[]) == []
    assert closed("python3 app/run.py", solution=[], restored=["app/run.py"]) == ["app", "app/run.py"]

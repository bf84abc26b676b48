"""Which files configure Bun where it judges."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.grading.apart.bun_options import bun_options
from gradebox.graders.grading.planner import make_plan
from gradebox.graders.model.case import Case, CommandSpec, Place
from gradebox.graders.model.plan import Files, Plan, Role, User
from gradebox.graders.model.tree import Tree, parents
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry

NOTHING = "--config=/dev/null --env-file=/dev/null"
CLOSED = f"{NOTHING} --tsconfig-override=/dev/null"
OWN = {"grading/check.ts": b"", "grading/deep/a.ts": b""}
MAPS = b'{"compilerOptions": {"paths": {"*": ["./evil.ts"]}}}'


def tree(files: dict[str, bytes]) -> Tree:
    entries = {top: ArchiveEntry(top, EntryKind.DIRECTORY, 0o755) for path in files for top in parents(path)}
    entries |= {path: file_entry(path, data) for path, data in files.items()}
    return Tree({path: entries[path] for path in sorted(entries)})


def plan(
    *argv: str, own: Tree, laid: dict[str, bytes] | None = None, isolation: str = "apart", allow: tuple[str, ...] = ()
) -> Plan:
    place = Place(Path("case.yaml"))
    check = CodeGrader(name="check", place=place, command=CommandSpec(argv), isolation=isolation)
    case = Case("case", place, Path("/case"), (check,), allow=allow)
    return make_plan(case, Files(tree({}), own), tree(laid or {}), image="image")


def options(made: Plan) -> str:
    return bun_options(made, made.stages[0], made.stages[0].steps[0])


@pytest.mark.parametrize("brought", ["tsconfig.json", "jsconfig.json", "bunfig.toml", ".env", "grading/tsconfig.json"])
def test_a_grader_reads_no_file_of_a_submission(brought: str) -> None:
    assert options(plan("bun", "grading/check.ts", own=tree(OWN), laid={brought: MAPS})) == CLOSED


@pytest.mark.parametrize(
    ("argv", "files", "found"),
    [
        (("bun", "grading/deep/a.ts"), ("grading/tsconfig.json",), "grading/tsconfig.json"),
        (("bun", "grading/deep/a.ts"), ("grading/jsconfig.json", "grading/deep/tsconfig.json"),
         "grading/deep/tsconfig.json"),
        (("bun", "test", "grading"), ("grading/tsconfig.json",), "grading/tsconfig.json"),
        (("sh", "-c", "candidate bun x.ts"), ("grading/tsconfig.json",), ""),
    ],
)  # fmt: skip
def test_the_next_one_of_the_case_counts(argv: tuple[str, ...], files: tuple[str, ...], found: str) -> None:
    made = plan(*argv, own=tree(OWN | dict.fromkeys(files, b"{}")))
    assert options(made) == f"{NOTHING} --tsconfig-override={'/workspace/' if found else '/dev/null'}{found}"


@pytest.mark.parametrize(
    ("text", "others", "is_read"),
    [
        ('{"extends": "./base.json"}', {"grading/base.json": b"{}"}, True),
        ('{"extends": ["./base.json", "../top.json"]}', {"grading/base.json": b"{}"}, False),
        ('{"extends": "./base"}', {"grading/base.json": b"{}"}, False),
        ('{"extends": "@tsconfig/strictest/tsconfig.json"}', {}, False),
        ('{"extends": "./tsconfig.json"}', {}, False),
    ],
)
def test_all_that_it_extends_is_the_cases(text: str, others: dict[str, bytes], is_read: bool) -> None:
    made = plan("bun", "grading/check.ts", own=tree(OWN | {"grading/tsconfig.json": text.encode()} | others))
    assert ("=/workspace/grading/tsconfig.json" in options(made)) is is_read


def test_what_a_case_allows_is_read() -> None:
    laid = {"bunfig.toml": b"", ".env": b"", "tsconfig.json": b"{}"}
    found = options(plan("bun", "grading/check.ts", own=tree(OWN), laid=laid, allow=("bunfig.toml", ".env")))
    assert found == "--config=/workspace/bunfig.toml --env-file=/workspace/.env --tsconfig-override=/dev/null"


def test_a_path_that_bun_would_split_is_not_read() -> None:
    own = tree({"a b/check.ts": b"", "a b/tsconfig.json": b"{}"})
    made = plan("bun", "a b/check.ts", own=own)
    step = replace(made.stages[0].steps[0], mentions=("'a b/check.ts'",))
    assert bun_options(made, replace(made.stages[0], delivered=tuple(own.entries.values())), step) == CLOSED


@pytest.mark.parametrize(
    ("files", "is_taken"),
    [
        ({"tsconfig.json": MAPS}, True),
        ({"lib/jsconfig.json": b'{"compilerOptions": {"paths": {"/workspace/a": ["x"]}}}'}, True),
        ({"tsconfig.json": b'{"paths": {"n\\u006fde:*": []}}'}, True),
        ({"tsconfig.json": b'{"paths": {"*" /* all */ : []}}'}, True),
        ({"tsconfig.json": b"{'paths': {'*': []}}"}, True),
        ({"tsconfig.json": b'{"paths": {"\\x": []}}'}, True),
        ({"tsconfig.json": b'{"extends": "./a"}', "a.json": MAPS}, True),
        ({"tsconfig.json": b'{"extends": ["b"]}', "node_modules/b/tsconfig.json": MAPS}, True),
        ({"tsconfig.json": b'{"extends": "./tsconfig.json"}'}, True),
        ({"tsconfig.json": b'{"paths": {"@/*": ["src/*"], "utils": ["utils"]}, "include": ["a/**/*"]} // "*": 1'},
         False),
        ({"tsconfig.json": b'{"extends": "@tsconfig/node20"}'}, False),
        ({"node_modules/a/tsconfig.json": MAPS}, False),
        ({"other.json": MAPS}, False),
    ],
)  # fmt: skip
def test_in_one_process_a_submission_keeps_what_replaces_nothing(files: dict[str, bytes], is_taken: bool) -> None:
    made = plan("bun", "grading/check.ts", own=tree(OWN), laid=files, isolation="in-process")
    assert options(made) == (CLOSED if is_taken else NOTHING)


def test_what_the_case_itself_has_replaces_nothing() -> None:
    made = plan("bun", "grading/check.ts", own=tree(OWN), laid={"tsconfig.json": MAPS}, isolation="in-process")
    workspace = tree({"tsconfig.json": MAPS})
    assert options(replace(made, files=replace(made.files, workspace=workspace))) == NOTHING


def test_only_what_judges_has_options() -> None:
    made = plan("bun", "grading/check.ts", own=tree(OWN), laid={"tsconfig.json": MAPS})
    stage, step = made.stages[0], made.stages[0].steps[0]
    candidate = replace(step, user=User.CANDIDATE)
    built = replace(step, user=User.SHARED, role=Role.SETUP)
    checker = replace(step, user=User.SHARED, role=Role.CHECKER)
    assert [bun_options(made, stage, each) for each in (candidate, built, checker)] == ["", "", CLOSED]
    assert json.dumps(made.stages[0].steps[0].env) == "{}"

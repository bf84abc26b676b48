"""Which files are restored, and which control files stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest
from tampering_bench import step, tree

from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.integrity.restore import control_files_to_keep, files_to_restore, snapshots_to_remove
from gradebox.graders.integrity.tampering_search import Interference
from gradebox.graders.model.tree import content
from gradebox.graders.runners.runner import Trees
from gradebox.sandbox.archive import ArchiveEntry, file_entry

WORK = {"src/app.py": "x = 1\n", "tests/test_app.py": "", "conftest.py": "", "run.sh": "true\n", "src/data.json": "{}"}


def restored(
    *argv: str, found: Interference | None = None, solution: Iterable[str] = (), **globs: tuple[str, ...]
) -> Mapping[str, ArchiveEntry]:
    workspace = tree(WORK)
    trees = Trees(workspace, tree({}), workspace, frozenset(solution), **globs)
    steps = (step(*argv),)
    entries = files_to_restore(trees, steps, found or Interference(), CommandScan(trees, steps, content))
    return {entry.path: entry for entry in entries}


@pytest.mark.parametrize(
    ("argv", "paths"),
    [
        (("true",), {"conftest.py"}),
        (("sh", "run.sh"), {"conftest.py", "run.sh"}),
        (("pytest", "-q"), {"conftest.py", "tests/test_app.py"}),
        (("cat", "src/app.py"), {"conftest.py", "src/app.py"}),
    ],
)
def test_what_belongs_to_the_grader_is_restored(argv: tuple[str, ...], paths: set[str]) -> None:
    assert set(restored(*argv)) == paths


@pytest.mark.parametrize("command", ["pytest tests/test_app.py", "python3 -m pytest grading/test_hidden.py"])
def test_helpers_and_data_of_tests_are_restored_whichever_tests_run(command: str) -> None:
    helpers = {"tests/helpers.py": "", "tests/data/expected.json": "{}", "src/app/tests/util.py": ""}
    workspace = tree({**WORK, **helpers, "tests/test_other.py": "", "app/helpers.py": ""})
    trees = Trees(workspace, tree({"grading/test_hidden.py": ""}), workspace, frozenset(["src/app/tests/util.py"]))
    steps = (step(*command.split()),)
    found = {entry.path for entry in files_to_restore(trees, steps, Interference(), CommandScan(trees, steps, content))}
    tests = {"tests/test_app.py"} if "tests/test_app.py" in command else set()
    assert found == {"conftest.py", "tests/helpers.py", "tests/data/expected.json", *tests}


def test_protect_and_allow_decide_first() -> None:
    assert set(restored("pytest", protect=("src/*.json",), allow=("conftest.py", "tests/"))) == {"src/data.json"}


def test_what_the_reference_changes_is_the_candidates_unless_a_command_names_the_test() -> None:
    assert "run.sh" not in restored("sh", "run.sh", solution=["run.sh"])
    assert "tests/test_app.py" not in restored("pytest", solution=["tests/test_app.py"])
    assert "tests/test_app.py" in restored("pytest", "tests/test_app.py", solution=["tests/test_app.py"])


def test_what_the_search_undoes_is_restored_beside_them() -> None:
    package = file_entry("package.json", b"{}")
    assert restored("true", found=Interference(restored=(package,)))["package.json"] is package


def test_control_files_of_the_case_and_allowed_ones_stay() -> None:
    laid = tree({"conftest.py": "", "pytest.ini": "", "ok/.env": "", "main.py": ""})
    trees = Trees(tree(WORK), tree({}), laid, allow=("ok/.env",))
    assert control_files_to_keep(trees, [file_entry("conftest.py", b"")]) == ("conftest.py", "ok/.env")


SNAPSHOTS = {"tests/a.test.mjs.snapshot": "", "tests/__snapshots__/b.test.ts.snap": ""}
SUITE = {"a.mjs": "", "tests/a.test.mjs": "", "tests/b.test.ts": "", **SNAPSHOTS}


@pytest.mark.parametrize("command", ["node --test tests/a.test.mjs", "bun test ./tests/b.test.ts"])
def test_what_a_test_file_expects_belongs_to_it(command: str) -> None:
    tests = [path for path in SUITE if path in command]
    of_test = [path for path in SNAPSHOTS if tests[0].rpartition("/")[2] in path]
    for workspace, expected in ((tree(SUITE), of_test), (tree(dict.fromkeys(tests, "")), [])):
        steps = (step(*command.split()),)
        for allow in ((), ("tests/**/*snap*",)):
            trees = Trees(workspace, tree({}), tree(SUITE), allow=allow)
            entries = files_to_restore(trees, steps, Interference(), CommandScan(trees, steps, content))
            assert {entry.path for entry in entries} == {*tests, *(() if allow else expected)}
            removed = snapshots_to_remove(trees, entries)
            assert set(of_test).isdisjoint(removed) is bool(allow or expected)
            assert not {*removed} & workspace.entries.keys()

"""What commands of a case need beside the files that they name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.cases.grader_files import GraderFiles, find, grader_files, module_guard
from gradebox.graders.model.tree import Tree, content
from gradebox.sandbox.archive import file_entry

FILES = {
    ".git/HEAD": "",
    "evals/dataset.eval.yaml": "",
    "evals/check.py": "import json, helper\nfrom package.part import x\n",
    "evals/helper.py": "import more\n",
    "evals/more.py": "",
    "evals/other.py": "",
    "evals/package/__init__.py": "",
    "evals/package/part.py": "x = 1\n",
    "evals/plain.ts": "import { a } from './beside.js'; import data from './data';",
    "evals/beside.ts": "",
    "evals/data.json": "{}",
    "evals/sdk.ts": "import { defineCodeGrader } from '@agentv/sdk'; import { u } from './beside';",
    "evals/mixed.ts": "import '@agentv/sdk'; import { f } from './src/of-submission';",
    "evals/leaves.ts": "import { f } from '../lib/fuzzy';",
    "evals/workspace/own.ts": "",
    "lib/fuzzy.ts": "",
    "scripts/above.ts": "import { f } from '../lib/fuzzy.js';",
    "scripts/setup.sh": "true\n",
    "project/pyproject.toml": "[project]\n",
    "project/scripts/run.py": "from own_sdk.grade import f\n",
    "project/src/own_sdk/__init__.py": "",
    "project/src/own_sdk/grade.py": "",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "secret.txt").write_text("")
    (root / "scripts" / "link.ts").symlink_to(tmp_path / "secret.txt")
    return root


def needed(repository: Path, *words: str) -> GraderFiles:
    return grader_files([words], [repository / "evals"], repository / "evals" / "workspace")


def test_what_a_script_imports_comes_with_it(repository: Path) -> None:
    found = needed(repository, "python3", "check.py")
    assert found.imports == {"check.py": ("helper.py", "package/__init__.py", "package/part.py", "more.py")}
    assert {path for path in found.tree.entries if path.endswith(".py")} == {"check.py", *found.imports["check.py"]}
    assert found.places == {}


def test_paths_in_typescript_are_found_with_other_endings(repository: Path) -> None:
    assert needed(repository, "bun", "plain.ts").imports == {"plain.ts": ("beside.ts", "data.json")}


@pytest.mark.parametrize(
    ("words", "places", "paths"),
    [
        (
            ("bun", "run", "../scripts/above.ts"),
            {"../scripts/above.ts": "/workspace/.repository/scripts/above.ts"},
            {".repository/scripts/above.ts", ".repository/lib/fuzzy.ts"},
        ),
        (
            ("bun run leaves.ts",),
            {"leaves.ts": "/workspace/.repository/evals/leaves.ts"},
            {".repository/evals/leaves.ts", ".repository/lib/fuzzy.ts"},
        ),
        (
            ("bash", "../scripts/setup.sh", "x"),
            {"../scripts/setup.sh": "/workspace/.repository/scripts/setup.sh"},
            {".repository/scripts/setup.sh"},
        ),
        (
            ("uv", "run", "python", "../project/scripts/run.py"),
            {"../project/scripts/run.py": "/workspace/.repository/project/scripts/run.py"},
            {
                ".repository/project/scripts/run.py",
                ".repository/project/pyproject.toml",
                ".repository/project/src/own_sdk/__init__.py",
                ".repository/project/src/own_sdk/grade.py",
            },
        ),
        (
            ("bun", "sdk.ts"),
            {"sdk.ts": "/workspace/.repository/evals/sdk.ts"},
            {".repository/evals/sdk.ts", ".repository/evals/beside.ts"},
        ),
    ],
)
def test_files_above_and_those_on_modules_of_the_image_are_delivered_as_they_lie_in_the_repository(
    repository: Path, words: tuple[str, ...], places: dict[str, str], paths: set[str]
) -> None:
    found = needed(repository, *words)
    assert found.places == places
    files = {path for path, entry in found.tree.entries.items() if entry.kind == "file"}
    guards = {path for path in files if path.endswith(("tsconfig.json", "package.json", "/index.js"))}
    assert files - guards == paths
    assert b'"/node_modules/@agentv/sdk"' in content(
        found.tree.entries[".repository/node_modules/@agentv/sdk/index.js"]
    )


def test_a_script_that_imports_what_only_a_submission_has_stays_where_it_is(repository: Path) -> None:
    assert needed(repository, "bun", "mixed.ts") == GraderFiles(
        needed(repository, "bun", "mixed.ts").tree, {"mixed.ts": ()}, {}
    )


@pytest.mark.parametrize("word", ["../../secret.txt", "../scripts/link.ts", "/etc/passwd", "missing.ts", "..", "check"])
def test_what_lies_outside_of_the_repository_is_not_found(repository: Path, word: str) -> None:
    assert find(word, [repository / "evals"]) is None


def test_without_a_repository_two_directories_above_are_looked_into(tmp_path: Path) -> None:
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    for place in (tmp_path, tmp_path / "a"):
        (place / "x.ts").write_text("")
    assert find("../../x.ts", [tmp_path / "a" / "b" / "c"]) == tmp_path / "a" / "x.ts"
    assert find("../../../x.ts", [tmp_path / "a" / "b" / "c"]) is None


def test_no_file_of_the_workspace_or_of_what_is_withheld_is_taken(repository: Path) -> None:
    evals = repository / "evals"
    found = grader_files(
        [["python3", "check.py", "workspace/own.ts"]], [evals], evals / "workspace", [evals / "more.py"]
    )
    assert not {"more.py", "workspace/own.ts"} & found.tree.entries.keys()


def test_a_script_that_bun_runs_is_named_by_its_whole_path(repository: Path) -> None:
    """A script of the submission's package.json could have the same name."""
    assert needed(repository, "bun", "run", "own.ts").places == {"own.ts": "/workspace/own.ts"}
    assert needed(repository, "sh", "-c", "npx tsx plain.ts").places == {"plain.ts": "/workspace/plain.ts"}


def test_a_script_above_that_does_not_exist_is_a_mistake(repository: Path) -> None:
    file = repository / "evals" / "dataset.eval.yaml"
    for name, mistakes in (("above.sh", 1), ("setup.sh", 0)):
        command = f"[bash, ../scripts/{name}]"
        file.write_text(f"tests: [{{id: a, input: x, assertions: [{{type: code-grader, command: {command}}}]}}]\n")
        assert len(load(file).diagnostics) == mistakes


COMMON = "const fs = require('node:fs');"


@pytest.mark.parametrize(
    ("own", "workspace", "solution", "is_guarded"),
    [
        ({"grading/a.js": COMMON}, {}, (), True),
        ({"grading/deep/a.js": "module.exports = 1;"}, {"package.json": '{"name": "x"}'}, (), True),
        ({"grading/a.js": COMMON, "grading/package.json": "{}"}, {}, (), False),
        ({"grading/a.js": COMMON, "grading/b.js": "import './c.js';"}, {}, (), False),
        ({"grading/a.js": "console.log(1);"}, {}, (), False),
        ({"grading/a.cjs": COMMON, "a.js": COMMON}, {}, (), False),
        ({"grading/a.js": COMMON}, {"package.json": '{"type": "module"}'}, (), False),
        ({"grading/a.js": COMMON}, {"package.json": '{"imports": {"#a": "./a.js"}}'}, (), False),
        ({"grading/a.js": COMMON}, {}, ("package.json",), False),
    ],
)
def test_hidden_scripts_stay_what_they_are(
    own: dict[str, str], workspace: dict[str, str], solution: tuple[str, ...], is_guarded: bool
) -> None:
    trees = [
        Tree({at: file_entry(at, text.encode()) for at, text in sorted(each.items())}) for each in (own, workspace)
    ]
    found = module_guard(*trees, solution)
    assert {at: content(entry) for at, entry in found.entries.items()} == (
        {"grading/package.json": b"{}\n"} if is_guarded else {}
    )

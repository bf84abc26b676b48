"""What `grade init --from` finds in a project, and the case that it proposes."""

from __future__ import annotations

from pathlib import Path

import pytest
from grading_bench import write

from gradebox.graders.authoring.project import case_text, hidden_path, read_project
from gradebox.graders.cases import load
from gradebox.graders.errors import UsageRefused

PYTHON = {
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "tests/conftest.py": "",
    "tests/data/prices.txt": "1\n",
    "tests/test_a.py": "from shop import total\n",
    "tests/test_b.py": "import shop\n",
    "node_modules/x/test_x.py": "import left\n",
}
NODE = {
    "src/shop.mjs": "export const total = 1;\n",
    "test/shop.test.mjs": 'import { total } from "../src/shop.mjs";\n',
    "package.json": "{}",
}


def proposed(tmp_path: Path, files: dict[str, str], *solution: str) -> dict[str, bytes]:
    write(tmp_path / "project", files)
    project = read_project(tmp_path / "project", solution)
    case = dict(project.case_files()) | {"case.yaml": case_text(project).encode()}
    for name, content in case.items():
        path = tmp_path / "case" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return case


def test_a_project_of_pytest_becomes_a_case(tmp_path: Path) -> None:
    assert set(proposed(tmp_path, PYTHON)) == {
        "case.yaml",
        "reference/shop.py",
        "workspace/tests/conftest.py",
        "workspace/tests/data/prices.txt",
        "workspace/tests/test_a.py",
        "grading/conftest.py",
        "grading/data/prices.txt",
        "grading/test_b.py",
    }
    (case,) = load(tmp_path / "case").cases
    assert [check.name for check in case.checks] == ["public", "hidden"]
    assert case.reference is not None


def test_a_single_test_file_is_hidden(tmp_path: Path) -> None:
    files = proposed(tmp_path, {"shop.py": "x = 1\n", "test_shop.py": "import shop\n"})
    assert set(files) == {"case.yaml", "reference/shop.py", "grading/test_shop.py"}
    assert [check.name for check in load(tmp_path / "case").cases[0].checks] == ["hidden"]


def test_a_hidden_test_of_javascript_lies_as_deep_as_before(tmp_path: Path) -> None:
    files = proposed(tmp_path, NODE)
    assert set(files) == {"case.yaml", "reference/src/shop.mjs", "grading/shop.test.mjs", "workspace/package.json"}
    assert b'"node", "--test"' in files["case.yaml"]
    assert load(tmp_path / "case").cases[0].language == "javascript"


@pytest.mark.parametrize(
    ("added", "program"),
    [
        ({"package.json": '{"devDependencies": {"vitest": "2"}}'}, b'"npx", "vitest"'),
        ({"package.json": '{"scripts": {"test": "jest"}}'}, b'"npx", "jest"'),
        ({"bun.lock": ""}, b'"bun", "test"'),
    ],
)
def test_the_runner_is_the_one_of_the_project(tmp_path: Path, added: dict[str, str], program: bytes) -> None:
    assert program in proposed(tmp_path, NODE | added)["case.yaml"]


def test_a_package_below_src_is_found_and_on_the_path(tmp_path: Path) -> None:
    files = {"src/shop/__init__.py": "", "src/shop/sums.py": "x = 1\n", "tests/test_a.py": "from shop import sums\n"}
    made = proposed(tmp_path, files)
    assert {name for name in made if name.startswith("reference/")} == {"reference/src/shop/sums.py"}
    assert "workspace/src/shop/__init__.py" in made
    assert load(tmp_path / "case").cases[0].env == {"PYTHONPATH": "src"}


def test_the_solution_can_be_named(tmp_path: Path) -> None:
    made = proposed(tmp_path, PYTHON | {"other.py": "x = 1\n"}, "other.py")
    assert {name for name in made if name.startswith("reference/")} == {"reference/other.py"}
    assert "workspace/shop.py" in made


def test_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"secret.py": "x = 1\n"})
    write(tmp_path / "project", PYTHON)
    (tmp_path / "project/link.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "project/folder").symlink_to(tmp_path)
    assert not [path for path in read_project(tmp_path / "project").files if "link" in path or "folder" in path]


@pytest.mark.parametrize(
    ("files", "solution", "message"),
    [
        ({"shop.py": "x = 1\n"}, (), "no tests that can be hidden"),
        ({"shop.js": "", "shop.test.js": "import './shop.js'"}, (), "no tests that can be hidden"),
        ({"test_a.py": "import json\n"}, (), "import none of its files"),
        ({"test_a.py": "import (\n"}, (), "import none of its files"),
        (PYTHON, ("gone.py",), r"has no file gone\.py"),
    ],
)
def test_what_is_no_such_project_is_refused(
    tmp_path: Path, files: dict[str, str], solution: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageRefused, match=message) as refused:
        proposed(tmp_path, files, *solution)
    assert refused.value.remedy


def test_a_project_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradebox.graders.authoring.project._MOST_BYTES", 10)
    with pytest.raises(UsageRefused, match="more than"):
        proposed(tmp_path, PYTHON)


def test_what_was_measured_is_in_the_case(tmp_path: Path) -> None:
    write(tmp_path, PYTHON)
    known = {"memory": "320m", "seconds": "12", "hidden": '["grading.test_b::test_x[a b]"]'}
    text = case_text(read_project(tmp_path), measured=known)
    for line in ("  memory: 320m\n", "  command_timeout_seconds: 12\n", f"      must_pass: {known['hidden']}\n"):
        assert line in text


@pytest.mark.parametrize(
    ("test", "place"), [("tests/unit/test_x.py", "unit/test_x.py"), ("test_x.py", "test_x.py"), ("a/b.py", "b.py")]
)
def test_the_first_folder_of_a_hidden_test_becomes_grading(test: str, place: str) -> None:
    assert hidden_path(test) == place

"""The page about plug-ins names packages, groups and files that exist. What it shows is run by tests/cli."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import pytest

from gradebox.graders import languages, runners
from gradebox.graders.checks import registry as checks
from gradebox.graders.judges import judge_file
from gradebox.graders.reports import report_formats as reports
from gradebox.graders.runs import added_options
from gradebox.sandbox.engines import connect

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "extend-gradebox.md").read_text("utf-8")
FILES = {
    content.partition("\n")[0].removeprefix("# "): content
    for content in re.findall(r"^```\w+\n(# gradebox-extras/.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
}
ROWS = re.findall(r"^\| ([\w ]+) \| `([\w.]+)` \| `(gradebox\.\w+)` \|", PAGE, re.MULTILINE)


def test_the_table_has_the_groups_that_gradebox_scans() -> None:
    assert {group for _, _, group in ROWS} == {
        checks.GROUP,
        runners.GROUP,
        languages.GROUP,
        reports.GROUP,
        "gradebox.formats",
        added_options.GROUP,
        judge_file.GROUP,
        connect.ENTRY_POINTS,
    }


@pytest.mark.parametrize(("kind", "package"), [row[:2] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_kind_of_plug_in_has_its_package(kind: str, package: str) -> None:
    assert importlib.import_module(package).__path__, kind


def test_the_distribution_adds_one_plug_in_of_each_kind_from_a_file_of_the_page() -> None:
    groups = tomllib.loads(FILES["gradebox-extras/pyproject.toml"])["project"]["entry-points"]
    assert set(groups) == {group for _, _, group in ROWS}
    for found in groups.values():
        (module,) = found.values()
        path = f"gradebox-extras/{module.replace('.', '/')}"
        assert FILES.keys() & {f"{path}.py", f"{path}/__init__.py"}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py")])
def test_every_import_of_a_file_on_the_page_works(name: str) -> None:
    for node in ast.walk(ast.parse(FILES[name])):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module or "")
            assert [found.name for found in node.names if not hasattr(module, found.name)] == []


def test_files_of_gradebox_that_the_page_names_exist() -> None:
    named = re.findall(r"`((?:graders|plugins|sandbox)/[^`\s]+)`", PAGE)
    assert len(named) >= 4
    assert [name for name in named if not (ROOT / name).exists()] == []

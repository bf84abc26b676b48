"""The house: where modules lie, how large they are, and that each has a test file of its own."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UNIT = ROOT / "tests" / "unit"
PACKAGES = ("graders", "plugins", "sandbox")
# Programs that run inside a sandbox, the files of new cases, and programs that cheat are data here.
DATA = frozenset({"inside", "template", "cheats"})
# What the boundary's data is in, and the first line of a program: they decide nothing.
UNDECIDING = frozenset({"boundary.py", "first.py"})
# Modules that every language may have: `test_definitions.py`, `test_mutation_table.py` and `test_image_catalogue.py`.
OF_LANGUAGES = frozenset({"cheating", "mutations", "recipe"})
# A command of the command line is named after itself, and may share that name with a room.
COMMANDS = Path("graders/cli/commands")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_MODULES, MOST_LINES, MOST_LINES_OF_A_FUNCTION = 20, 300, 60


def _modules() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if DATA.isdisjoint(path.parts):
                yield path.relative_to(ROOT)


MODULES = tuple(_modules())
NAMED = tuple(path for path in MODULES if path.name != "__init__.py" and path.stem not in OF_LANGUAGES)


INSIDE = tuple(
    path.relative_to(ROOT)
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("inside/**/*.py"))
    if path.name != "__init__.py" and path.name not in UNDECIDING
)


def test_there_are_modules_to_look_at() -> None:
    assert len(MODULES) > 100


def test_the_root_of_graders_holds_the_public_names_and_the_errors_alone() -> None:
    assert {path.name for path in MODULES if path.parent == Path("graders")} == {"__init__.py", "errors.py"}


def test_no_package_has_more_modules_than_a_reader_can_hold() -> None:
    counts = Counter(path.parent for path in (*NAMED, *INSIDE))
    assert {str(package): count for package, count in counts.items() if count > MOST_MODULES} == {}


def _lines(text: str, function: ast.FunctionDef | ast.AsyncFunctionDef, *, is_inside: bool) -> int:
    """Return how many lines a function has.

    Functions inside a sandbox lie in others so that no module leads to them: there, each counts by itself, without
    blank lines.
    """
    lines = range(function.lineno, (function.end_lineno or 0) + 1)
    if not is_inside:
        return len(lines)
    inner = [node for node in ast.walk(function) if isinstance(node, FUNCTIONS) and node is not function]
    elsewhere = {line for node in inner for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    all_lines = text.splitlines()
    return sum(line not in elsewhere and bool(all_lines[line - 1].strip()) for line in lines)


@pytest.mark.parametrize("module", [*MODULES, *INSIDE], ids=str)
def test_a_module_is_short_and_so_are_its_functions(module: Path) -> None:
    text = (ROOT / module).read_text("utf-8")
    assert text.count("\n") <= MOST_LINES
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, FUNCTIONS)]
    lengths = {node.name: _lines(text, node, is_inside=module in INSIDE) for node in functions}
    assert {name: length for name, length in lengths.items() if length > MOST_LINES_OF_A_FUNCTION} == {}


def _mirrored(module: Path) -> Path:
    room = module.parent.relative_to("graders") if module.parts[0] == "graders" else module.parent
    return UNIT / room / f"test_{module.name}"


@pytest.mark.parametrize("module", [*NAMED, *INSIDE], ids=str)
def test_a_module_has_a_test_file_in_the_same_place(module: Path) -> None:
    assert _mirrored(module).is_file()


def _dotted(module: Path) -> str:
    parts = module.parts[:-1] if module.name == "__init__.py" else module.with_suffix("").parts
    return ".".join(("gradebox", *parts))


def _imported(module: Path) -> Iterator[str]:
    """Yield what a module imports from, late imports and those for type hints included."""
    for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                found = f"{node.module}.{name.name}"
                yield found if found in DOTTED else node.module


DOTTED = {_dotted(module): module for module in MODULES}
ROOMS = sorted({module.parts[:2] if len(module.parts) > 2 else module.parts[:1] for module in MODULES})


@pytest.mark.parametrize("room", ROOMS, ids="/".join)
def test_no_modules_of_a_room_import_each_other(room: tuple[str, ...]) -> None:
    inside = {name for name, module in DOTTED.items() if module.parts[: len(room)] == room}
    graph = {name: {one for one in _imported(DOTTED[name]) if one in inside and one != name} for name in inside}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"These import each other: {' <- '.join(error.args[1])}")


@pytest.mark.parametrize("module", [path for path in MODULES if path.parts[0] != "plugins"], ids=str)
def test_the_core_names_no_product_beside_it(module: Path) -> None:
    """import-linter sees imports alone, and a module can be named in a string."""
    found = [
        node.value
        for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    named = [text for text in found if re.search(r"gradebox[./]plugins[./]\w|\bplugins/\w", text)]
    assert named == []


def test_no_two_modules_have_the_same_name() -> None:
    # Each of the packages has one tree of errors.
    counts = Counter(path.stem for path in NAMED if path.parent != COMMANDS and path.stem != "errors")
    assert [name for name, count in counts.items() if count > 1] == []


def test_no_two_public_classes_have_the_same_name() -> None:
    counts = Counter(
        node.name
        for module in MODULES
        for node in ast.parse((ROOT / module).read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in counts.items() if count > 1] == []

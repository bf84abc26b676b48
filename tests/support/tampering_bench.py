"""What the tests of integrity share: trees, steps, and what was found in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.integrity.tampering_search import Interference, find
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.tree import Tree, content, overlay, remove
from gradebox.graders.runners.runner import Trees
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.types import WORKSPACE

CHANGED, ADDED = TamperingKind.PROTECTED_FILE_CHANGED, TamperingKind.RUNNER_CONFIGURATION_ADDED
PYTEST = ("python3", "-m", "pytest", "grading/test_it.py")
WORK = {"src/app.py": "x = 1\n", "tests/test_app.py": "def test(): pass\n"}
HIDDEN = {"grading/": "", "grading/test_it.py": "import app\n"}
PYPROJECT = '[project]\nname = "app"\ndependencies = ["a"]\n\n[tool.pytest.ini_options]\naddopts = "-q"\n'
PACKAGE = {"name": "app", "scripts": {"test": "vitest run"}, "dependencies": {"a": "1"}}


def tree(files: Mapping[str, str]) -> Tree:
    entries = {}
    for path, text in sorted(files.items()):
        if path.endswith("/"):
            entries[path[:-1]] = ArchiveEntry(path[:-1], EntryKind.DIRECTORY, 0o755)
        elif text.startswith("-> "):
            entries[path] = ArchiveEntry(path, EntryKind.LINK, target=text[3:])
        else:
            entries[path] = file_entry(path, text.encode("utf-8", "surrogateescape"))
    return Tree(entries)


def step(*argv: str, cwd: str = WORKSPACE) -> Step:
    return Step(Role.CHECK, "it", argv, cwd, 1.0, mentions=argv)


def searched(
    added: Mapping[str, str], *steps: Step, gone: Iterable[str] = (), workspace: Mapping[str, str] = WORK,
    own: Mapping[str, str] = HIDDEN, protect: Iterable[str] = (), allow: Iterable[str] = (),
) -> Interference:  # fmt: skip
    before = tree(workspace)
    laid = overlay(remove(before, gone), tree(added))
    trees = Trees(before, tree(own), laid, protect=tuple(protect), allow=tuple(allow))
    return find(trees, "grading", CommandScan(trees, steps or (step(*PYTEST),), content))


def seen(found: Interference) -> list[tuple[TamperingKind, str]]:
    return [(one.kind, one.evidence) for one in found.tampering]

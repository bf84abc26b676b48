"""Proposes a case for an existing project, for ``grade init --from``: its runner, which tests to hide, the solution.

A person decides about the proposal. This module runs nothing of the project, follows no links, and ignores directories
that tools create (`_IGNORED`).
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from gradebox.graders.errors import UsageRefused
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.records import dataclass

_IGNORED = frozenset(
    {".git", ".hg", ".svn", ".venv", "venv", "env", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache"}
    | {".ruff_cache", ".tox", ".nox", ".idea", ".vscode", "dist", "build", "target", "coverage", ".coverage"}
)
_MOST_BYTES = 32 * MIB
_PYTHON_TEST = re.compile(r"(^|/)(test_[^/]+|[^/]+_test)\.py$")
_JAVASCRIPT_TEST = re.compile(r"\.(test|spec)\.[cm]?[jt]sx?$")
_JAVASCRIPT_IMPORT = re.compile(r"""(?:from|import|require\()\s*['"](\.[^'"]*)['"]""")
_ENDINGS = ("", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx", "/index.js", "/index.ts")


@dataclass(frozen=True, slots=True)
class Project:
    """A project and the proposal for its case.

    Attributes:
        name: The name of the directory.
        files: The contents of its files, by path.
        runner: The test runner: pytest, node, bun, vitest or jest.
        public: Test files that candidates see.
        hidden: Test files that candidates do not see.
        solution: Files that candidates have to write.
    """

    name: str
    files: Mapping[str, bytes]
    runner: str
    public: tuple[str, ...]
    hidden: tuple[str, ...]
    solution: tuple[str, ...]

    def case_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the files of the case except case.yaml: the path in its directory, and the content."""
        for path, content in self.files.items():
            if path in self.solution:
                yield f"reference/{path}", content
            elif path not in self.hidden:
                yield f"workspace/{path}", content
            if path in self.hidden or self._is_beside_hidden(path):
                yield f"grading/{hidden_path(path)}", content

    def _is_beside_hidden(self, path: str) -> bool:
        """Return whether a file belongs to the hidden tests: settings of pytest, data, helpers."""
        if path in self.public or path in self.solution:
            return False
        folders = {PurePosixPath(test).parent for test in self.hidden} - {PurePosixPath()}
        return PurePosixPath(path).name == "conftest.py" or bool(folders & set(PurePosixPath(path).parents))

    def command(self, tests: tuple[str, ...], report: str) -> list[str]:
        """Return the command that runs tests and, if the runner can, writes a JUnit report."""
        match self.runner:
            case "pytest":
                return ["python3", "-m", "pytest", "-q", f"--junitxml={report}", *tests]
            case "bun":
                paths = [f"./{test}" for test in tests]
                return ["bun", "test", "--reporter=junit", f"--reporter-outfile={report}", *paths]
            case "vitest":
                return ["npx", "vitest", "run", "--reporter=junit", f"--outputFile={report}", *tests]
            case "jest":
                return ["npx", "jest", *tests]
        return ["node", "--test", "--test-reporter=junit", f"--test-reporter-destination={report}", *tests]

    @property
    def has_report(self) -> bool:
        return self.runner != "jest"


def hidden_path(test: str) -> str:
    """Return the path of a hidden test below ``grading/``, at its former depth, so that relative imports still work."""
    parts = PurePosixPath(test).parts
    return "/".join(parts[1:] if len(parts) > 1 else parts)


def read_project(directory: Path, solution: tuple[str, ...] = ()) -> Project:
    """Read a project, and propose which tests to hide.

    Args:
        directory: The project, with tests that pass.
        solution: Files that candidates have to write; if empty, the files that the tests import.

    Raises:
        UsageRefused: If it is not a directory, is too large, or has no tests that we recognise, or no solution.
    """
    files = dict(sorted(_files(directory)))
    tests = [path for path in files if _PYTHON_TEST.search(path)]
    runner = "pytest"
    if not tests:
        tests = [path for path in files if _JAVASCRIPT_TEST.search(path)]
        runner = _javascript_runner(files)
    # A JavaScript test at the top of the project would not find its relative imports from grading/.
    hideable = [path for path in tests if runner == "pytest" or "/" in path]
    if not hideable:
        raise UsageRefused(
            f"{directory} has no tests that can be hidden: `test_*.py`, or `*.test.js` in a folder.",
            remedy="Name another directory, or start with `grade init my-case --template pytest`.",
        )
    if missing := [path for path in solution if path not in files]:
        raise UsageRefused(f"{directory} has no file {missing[0]}.", remedy="Name paths that begin at the project.")
    hidden = tuple(hideable[1:] if len(tests) > 1 and len(hideable) > 1 else hideable)
    found = solution or tuple(
        dict.fromkeys(one for test in tests for one in _imported(test, files) if one not in tests)
    )
    if not found:
        raise UsageRefused(
            f"The tests of {directory} import none of its files, so gradebox cannot tell which files candidates write.",
            remedy="Name these files: `--solution PATH`.",
        )
    public = tuple(path for path in tests if path not in hidden)
    return Project(directory.resolve().name, files, runner, public, hidden, found)


def _files(directory: Path) -> Iterator[tuple[str, bytes]]:
    if not directory.is_dir():
        raise UsageRefused(f"{directory} is not a directory.", remedy="Name the directory of a project.")
    total = 0
    for place, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in _IGNORED and not name.endswith(".egg-info")]
        for path in (Path(place, name) for name in names if name not in _IGNORED):
            if path.is_symlink() or not path.is_file():
                continue
            total += path.stat().st_size
            if total > _MOST_BYTES:
                raise UsageRefused(
                    f"{directory} has more than {_MOST_BYTES // MIB} MiB.",
                    remedy="Copy what the case needs into another directory, and name that.",
                )
            yield path.relative_to(directory).as_posix(), path.read_bytes()


def _javascript_runner(files: Mapping[str, bytes]) -> str:
    package = files.get("package.json", b"").decode("utf-8", "replace")
    for name in ("vitest", "jest"):
        if f'"{name}"' in package or re.search(rf'"test":\s*"[^"]*\b{name}\b', package):
            return name
    bun = {"bun.lock", "bun.lockb", "bunfig.toml"} & set(files) or "bun test" in package
    return "bun" if bun or any(path.endswith(("ts", "tsx")) for path in files) else "node"


def _imported(test: str, files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the files of a project that a test imports."""
    text = files[test].decode("utf-8", "replace")
    if not test.endswith(".py"):
        for found in _JAVASCRIPT_IMPORT.findall(text):
            place = os.path.normpath(PurePosixPath(test).parent / found)
            yield from (f"{place}{ending}" for ending in _ENDINGS if f"{place}{ending}" in files)
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for module in _modules(tree):
        path = module.replace(".", "/")
        for place in (f"{path}.py", f"{path}/__init__.py", f"src/{path}.py", f"src/{path}/__init__.py"):
            # An empty file cannot be a solution.
            if files.get(place, b"").strip():
                yield place


def _modules(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def case_text(project: Project, image: str = "", measured: Mapping[str, str] | None = None) -> str:
    """Return the text of case.yaml.

    Args:
        project: The project.
        image: The line that says how to build the image; empty for the image of the language.
        measured: Measurements of the reference: `memory`, `seconds`, and a JSON list of tests for each check.
    """
    known = measured or {}
    language = "python" if project.runner == "pytest" else "typescript" if project.runner == "bun" else "javascript"
    about = " README.md describes the project." if "README.md" in project.files else ""
    lines = [
        "# What `grade init --from` proposes. Decide about each line, then run `grade check .` again.",
        "#",
        "#   workspace/   the project without its solution; stubs of it may lie there",
        f"#   grading/     hidden tests: {_listed(project.hidden)}, with the files beside them",
        "#   reference/   the solution, which passes all tests",
        "",
        f"description: {json.dumps(project.name)}",
        f"language: {language}",
        *([image] if image else []),
        "",
        "input: |",
        f"  Write {_listed(project.solution)}, so that all tests pass.{about}",
        "",
        "# Measured with the reference: three times its memory and five times its processor time, and not too little."
        if measured
        else "# Not measured: no engine ran the reference.",
        "limits:",
        f"  memory: {known.get('memory', '1024m')}",
        f"  command_timeout_seconds: {known.get('seconds', '120')}",
        *(["env: {PYTHONPATH: src}"] if project.runner == "pytest" and _in_src(project) else []),
        *([f"protect: {json.dumps(list(project.public))}"] if project.public else []),
        "",
        "assertions:",
        *_check_lines(project, "public", project.public, known),
        *_check_lines(project, "hidden", tuple(f"grading/{hidden_path(test)}" for test in project.hidden), known),
    ]
    return "\n".join(lines) + "\n"


def _check_lines(project: Project, name: str, tests: tuple[str, ...], known: Mapping[str, str]) -> Iterator[str]:
    if not tests:
        return
    yield f"  - name: {name}"
    yield "    type: code-grader"
    yield f"    command: {json.dumps(project.command(tests, f'{name}.xml'))}"
    if name == "hidden":
        yield "    weight: 3"
    yield "    required: true"
    if project.has_report:
        yield "    report:"
        yield "      format: junit"
        yield f"      path: {name}.xml"
        if name in known:
            yield f"      must_pass: {known[name]}"


def _in_src(project: Project) -> bool:
    return any(path.startswith("src/") for path in project.solution)


def _listed(paths: tuple[str, ...]) -> str:
    shown = ", ".join(paths[:4])
    return f"{shown} and {len(paths) - 4} more" if len(paths) > 4 else shown

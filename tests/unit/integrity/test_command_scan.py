"""Which test runners a case uses, and what it points them at."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from tampering_bench import step, tree

from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.model.tree import content
from gradebox.graders.runners.runner import Trees
from gradebox.sandbox.archive import file_entry

WORK = {"src/app.py": "", "tests/test_app.py": "", "tests/test_b.py": "", "run.sh": "cd tests\npytest -q\n"}


def scanned(
    *argv: str, work: Mapping[str, str] = WORK, own: Mapping[str, str] | None = None, cwd: str = "/workspace"
) -> CommandScan:
    workspace = tree(work)
    trees = Trees(workspace, tree(own or {}), workspace)
    return CommandScan(trees, (step(*argv, cwd=cwd),), content)


@pytest.mark.parametrize(
    ("argv", "tools"),
    [
        (("python3", "x.py"), {"python"}),
        (("pytest",), {"python", "pytest"}),
        (("python3", "-m", "unittest"), {"python", "unittest"}),
        (("npx", "vitest", "run"), {"node", "vitest"}),
        (("bun", "test"), {"bun", "bun-test"}),
        (("node", "--test"), {"node", "node-test"}),
        (("npx", "mocha"), {"node", "mocha"}),
        (("julia", "test/runtests.jl"), {"julia"}),
        (("sh", "run.sh"), {"python", "pytest"}),
        (("./main", "my-pytest"), set()),
    ],
)
def test_the_tools_that_commands_and_their_scripts_name(argv: tuple[str, ...], tools: set[str]) -> None:
    assert scanned(*argv).tools == tools


@pytest.mark.parametrize(
    ("argv", "tests"),
    [
        (("pytest",), {""}),
        (("pytest", "tests/test_b.py"), {"tests/test_b.py"}),
        (("make", "check"), {""}),
        (("python3", "src/app.py"), set()),
    ],
)
def test_where_the_tests_are_that_run(argv: tuple[str, ...], tests: set[str]) -> None:
    assert scanned(*argv).tests == tests


def test_the_directories_in_which_modules_are_looked_for() -> None:
    assert scanned("sh", "-c", "cd src && PYTHONPATH=lib:/workspace/more pytest").directories == {
        "",
        "src",
        "lib",
        "more",
    }
    assert scanned("pytest", cwd="/workspace/app").directories == {"", "app"}


def test_pytest_finds_configuration_above_and_below_what_a_command_names() -> None:
    scan = scanned("pytest", "tests/test_b.py")
    assert [scan.reaches(path) for path in ("pytest.ini", "tests/conftest.py", "src/conftest.py")] == [
        True,
        True,
        False,
    ]
    assert scanned("pytest").reaches("src/conftest.py")


def test_hidden_tests_run_apart_unless_something_opens_the_workspace() -> None:
    hidden = {"grading/": "", "grading/test_it.py": "import subprocess\n"}
    assert scanned("pytest", "grading/test_it.py", own=hidden).is_apart
    assert not scanned("python3", "-m", "pytest", "grading/test_it.py", own=hidden).is_apart
    assert not scanned("pytest", "tests").is_apart


def test_scripts_of_a_package_name_files() -> None:
    package = json.dumps({"scripts": {"test": "node check.js", "build": "node build.js"}})
    work = {"package.json": package, "check.js": "", "build.js": ""}
    assert scanned("npm", "test", work=work).named_by_scripts == {"check.js"}


@pytest.mark.parametrize(
    ("runner", "path", "settings"),
    [
        (
            "vitest",
            "vitest.config.ts",
            "export default { test: { setupFiles: ['./src/setup'], environment: 'jsdom' } }",
        ),
        (
            "vitest",
            "vite.config.js",
            "test: { globalSetup: path.resolve(__dirname, 'src/setup.js'), root: './src/app.js' }",
        ),
        ("vitest", "vitest.config.ts", "import made from './src/setup.js';\nexport default made;"),
        ("jest", "package.json", '{"main": "src/app.js", "jest": {"setupFilesAfterEnv": ["<rootDir>/src/setup.js"]}}'),
        ("jest", "jest.config.cjs", 'module.exports = {\n  setupFiles: ["x",\n    "./src/setup.js"],\n  bail: 1 };'),
        ("jest", "jest.config.js", 'transform: { "^.+$": "./src/setup.js" }, moduleNameMapper: { a: "./src/app.js" }'),
    ],
)
def test_what_settings_of_a_runner_load_belongs_to_the_case(runner: str, path: str, settings: str) -> None:
    setup = "import './hooks.js'; import '../src/app.js'; import './setup';"
    work = {path: settings, "src/setup.js": setup, "src/hooks.js": "beforeEach(() => {});", "src/app.js": ""}
    assert scanned("npx", runner, "run", work=work).named_by_settings == {"src/setup.js", "src/hooks.js"}
    assert scanned("npx", "mocha", work=work).named_by_settings == frozenset()


def test_large_files_are_no_configuration() -> None:
    scan = scanned("true")
    assert scan.text(file_entry("a", b"x" * 200_000)) == scan.text(None) == ""
    assert scan.text(file_entry("a", b"x")) == "x"
    assert scan.runs("true")
    assert not scan.runs("tru")

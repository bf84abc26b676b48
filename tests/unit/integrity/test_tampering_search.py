"""What a submission did to the files of its judge: what is undone, and what is held against it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tampering_bench import HIDDEN, PACKAGE, PYPROJECT, PYTEST, WORK, searched, seen, step

from gradebox.graders.model.tampering import TamperingKind
from gradebox.graders.model.tree import content
from gradebox.sandbox.types import WORKSPACE

CHANGED, ADDED = TamperingKind.PROTECTED_FILE_CHANGED, TamperingKind.RUNNER_CONFIGURATION_ADDED


@pytest.mark.parametrize(
    ("added", "gone", "expected"),
    [
        ({"tests/test_app.py": "def test(): return\n"}, (), [(CHANGED, "tests/test_app.py")]),
        ({}, ["tests/test_app.py"], [(CHANGED, "tests/test_app.py")]),
        ({"tests/test_app.py/": "", "tests/test_app.py/x": ""}, (), [(CHANGED, "tests/test_app.py")]),
        ({"tests/test_app.py": "-> ../src/app.py"}, (), [(CHANGED, "tests/test_app.py")]),
        ({"config/more.yaml": "a: 1"}, (), [(CHANGED, "config/more.yaml")]),
        # Tests of the candidate's own, and what is not protected.
        ({"tests/test_more.py": "def test(): pass\n", "tests/data.json": "{}", "tests/deep/": ""}, (), []),
        ({"tests/test_app.py": WORK["tests/test_app.py"]}, (), []),
        ({"src/app.py": "x = 2\n", "Tests/test_app.py": ""}, (), []),
    ],
)
def test_what_is_protected_must_be_as_the_case_has_it(
    added: Mapping[str, str], gone: Iterable[str], expected: list[tuple[TamperingKind, str]]
) -> None:
    assert seen(searched(added, gone=gone, protect=["tests", "config"])) == expected


def test_an_edited_test_that_nobody_protects_is_no_tampering() -> None:
    assert searched({"tests/test_app.py": "def test(): return\n"}).tampering == ()


@pytest.mark.parametrize(
    ("added", "own", "expected"),
    [
        ({"grading/x.py": ""}, HIDDEN, ["grading/x.py"]),
        ({"grading/test_it.py": "pass\n"}, HIDDEN, ["grading/test_it.py"]),
        ({"grading": "-> src"}, HIDDEN, ["grading"]),
        ({"grading": "a file"}, HIDDEN, ["grading"]),
        ({"grading/test_it.py": HIDDEN["grading/test_it.py"], "grading/deep/": ""}, HIDDEN, []),
        ({"Grading/x.py": "", "src/grading/x.py": ""}, HIDDEN, []),
        # A case that hides nothing there.
        ({"grading/x.py": ""}, {}, []),
    ],
)
def test_nothing_may_be_brought_to_where_the_hidden_files_are(
    added: Mapping[str, str], own: Mapping[str, str], expected: list[str]
) -> None:
    assert seen(searched(added, own=own)) == [(CHANGED, path) for path in expected]


# What no honest project would write. tests/unit/runners/pytest/test_conftest_code.py has more of it.
ENDS = "import os\nos._exit(0)\n"
HOOK = "def pytest_pyfunc_call():\n    return True\n"
FLAGGED: list[tuple[str, str, tuple[str, ...]]] = [
    ("conftest.py", HOOK, PYTEST),
    ("conftest.py", ENDS, PYTEST),
    ("tests/conftest.py", HOOK, ("pytest",)),
    ("tests/conftest.py", HOOK, ("pytest", "tests/test_app.py")),
    ("pytest.ini", "[pytest]\naddopts = --co\n", PYTEST),
    (".pytest.toml", '[pytest]\naddopts = ["--collect-only"]\n', PYTEST),
    ("pytest.toml", '[tool.other]\n[pytest]\naddopts = ["--collect-only"]\n', PYTEST),
    ("tox.ini", "[pytest]\naddopts = -q --collect-only\n", PYTEST),
    ("setup.cfg", "[tool:pytest]\naddopts = --setup-plan\n", PYTEST),
    ("setup.cfg", "no = section\n[tool:pytest]\naddopts = --version\n", PYTEST),
    ("setup.cfg", "[tool:pytest] # ]\naddopts =\n    -q\n    --fixtures\n", PYTEST),
    ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-q --collect-only"\n', PYTEST),
    ("sitecustomize.py", ENDS, PYTEST),
    ("sitecustomize/__init__.py", ENDS, PYTEST),
    ("lib/usercustomize.py", "import atexit, os\natexit.register(os._exit, 0)\n", ("sh", "-c", "cd lib; python3 a.py")),
    ("evil.pth", "import os; os._exit(0)\n", PYTEST),
    ("pytest.py", ENDS, PYTEST),
    ("_pytest/__init__.py", ENDS, PYTEST),
    ("unittest.py", ENDS, ("python3", "-m", "unittest", "grading/test_it.py")),
]


@pytest.mark.parametrize(("path", "text", "command"), FLAGGED)
def test_what_decides_results_instead_of_the_tests_is_tampering(path: str, text: str, command: tuple[str, ...]) -> None:
    found = searched({path: text}, step(*command))
    assert seen(found) == [(ADDED, path)]
    assert f"add {path} to `allow:`" in found.tampering[0].what
    assert searched({path: text}, step(*command), allow=[path]).tampering == ()
    assert searched({path: text}, step("true")).tampering == (), "nobody is flagged by it"


RUNSLOW = """
def pytest_addoption(parser):
    parser.addoption("--runslow", action="store_true", default=False, help="run slow tests")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--runslow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="need --runslow option to run"))
"""
HONEST: list[tuple[str, str, tuple[str, ...]]] = [
    ("conftest.py", "", PYTEST),
    ("conftest.py", "# nothing\n\n", PYTEST),
    ("conftest.py", "import sys\nsys.path.insert(0, 'src')\n", PYTEST),
    ("conftest.py", "import pytest\n@pytest.fixture\ndef client(monkeypatch):\n    return 1\n", PYTEST),
    ("conftest.py", "pytest_plugins = ['pytest_asyncio']\n", PYTEST),
    ("conftest.py", "pytest_plugins = ['tests.database']\n", PYTEST),
    ("conftest.py", "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow')\n", PYTEST),
    (
        "conftest.py",
        "@pytest.fixture(autouse=True)\ndef it(monkeypatch):\n    monkeypatch.setattr(a, 'b', 1)\n",
        PYTEST,
    ),
    ("conftest.py", "import sys\nfrom unittest import mock\nsys.modules['RPi.GPIO'] = mock.MagicMock()\n", PYTEST),
    ("conftest.py", RUNSLOW, PYTEST),
    ("sitecustomize.py", "import coverage\ncoverage.process_startup()\n", PYTEST),
    ("sitecustomize.cpython-311-x86_64-linux-gnu.so", "\x7fELF", PYTEST),
    ("coverage.pth", "import coverage; coverage.process_startup()\n", PYTEST),
    ("pyvenv.cfg", "home = /usr\n", PYTEST),
    ("pytest.py", "print('my first tests')\n", PYTEST),
    ("unittest.py", "import os\nprint(os.getcwd())\n", ("python3", "-m", "unittest", "grading/test_it.py")),
    ("pluggy.cpython-311-x86_64-linux-gnu.so", "\x7fELF", PYTEST),
    ("pytest", "-> src", PYTEST),
    ("mine.egg-info/entry_points.txt", "[pytest11]\nmine = mine.plugin\n", PYTEST),
    ("pytest.ini", "[pytest]\npython_files = check_*.py\npython_functions = check_*\nnorecursedirs = data\n", PYTEST),
    ("pytest.ini", "[pytest]\naddopts = -p tests.plugin --ignore=docs -m 'not slow'\n", PYTEST),
    ("bunfig.toml", '[test]\ncoverage = true\npreload = ["./happydom.ts"]\n', ("bun", "test", "grading/a.test.ts")),
    ("vitest.config.ts", "export default {test: {setupFiles: ['./setup.ts'], reporters: []}}\n", ("npx", "vitest")),
    ("jest.config.js", "module.exports = {passWithNoTests: true, testRunner: 'jest-circus'}\n", ("jest",)),
    ("package.json", '{"jest": {"setupFiles": ["./setup.js"], "reporters": ["default"]}}', ("npx", "jest")),
    (".mocharc.json", '{"require": "ts-node/register"}', ("mocha",)),
    ("startup.jl", 'include("app.jl")\n', ("julia", "grading/run.jl")),
    # Where pytest does not look.
    ("tests/conftest.py", HOOK, PYTEST),
    ("pytest.ini", "[pytest]\ntestpaths = tests\naddopts = -ra -q --tb=short\nmarkers =\n    slow\n", PYTEST),
    ("tox.ini", "[tox]\nenvlist = py311\n[testenv]\ncommands = pytest -p evil\n", PYTEST),
    ("setup.cfg", "[metadata]\nname = app\n[options]\ninstall_requires = a\n", PYTEST),
    ("pyproject.toml", '[project]\nname = "app"\n\n[tool.ruff]\nline-length = 100\n', PYTEST),
    ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\nasyncio_mode = "auto"\n', PYTEST),
    ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-n auto --tb short -W error"\n', PYTEST),
    ("pyproject.toml", '[tool.pytest.ini_options]\ntestpaths = ["unit"]\n', ("pytest",)),
    ("pyproject.toml", "this is not TOML [", PYTEST),
    (".venv/pyvenv.cfg", "home = /usr\n", PYTEST),
    ("env311/pyvenv.cfg", "home = /usr\n", PYTEST),
    (".venv/lib/python3.11/site-packages/a.pth", "import a\n", PYTEST),
    ("model.pth", "PK\0\0", PYTEST),
    ("src/pytest.py", "", PYTEST),
    ("unittest/test_app.py", "def test(): pass\n", PYTEST),
    ("app.egg-info/entry_points.txt", "[console_scripts]\napp = app:main\n", PYTEST),
    ("__pycache__/app.cpython-311.pyc", "x", PYTEST),
    (".git/config", "[core]\n", PYTEST),
    (".env", "A=b\n", ("bun", "test")),
    (".npmrc", "fund=false\n", ("bun", "test")),
    ("bunfig.toml", "[install]\nexact = true\n", ("bun", "test")),
    ("vitest.config.ts", "export default {test: {environment: 'node'}}\n", ("vitest",)),
    ("node_modules/a/bunfig.toml", "preload = 'x'\n", ("bun", "test")),
    ("package.json", '{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "1"}}', ("npx", "vitest")),
    ("tsconfig.json", '{"compilerOptions": {"strict": true}}', ("bun", "test")),
    ("LocalPreferences.toml", "[a]\n", ("julia", "x.jl")),
    ("Project.toml", "[deps]\n", ("julia", "x.jl")),
]


@pytest.mark.parametrize(("path", "text", "command"), HONEST)
def test_what_honest_work_leaves_behind_is_not(path: str, text: str, command: tuple[str, ...]) -> None:
    assert searched({path: text}, step(*command)).tampering == ()


def test_only_what_was_added_counts() -> None:
    before = {**WORK, "tests/conftest.py": HOOK}
    more = HOOK + "\nimport pytest\n@pytest.fixture\ndef mine(): ...\n"
    assert searched({"tests/conftest.py": more}, step("pytest"), workspace=before).tampering == ()
    bent = HOOK + "\n" + ENDS
    assert seen(searched({"tests/conftest.py": bent}, step("pytest"), workspace=before)) == [
        (ADDED, "tests/conftest.py")
    ]


def test_configuration_of_pytest_in_a_manifest_is_restored_and_dependencies_stay() -> None:
    before = {**WORK, "pyproject.toml": PYPROJECT}
    honest = searched({"pyproject.toml": PYPROJECT.replace('["a"]', '["a", "b"]')}, workspace=before)
    assert (honest.tampering, honest.restored) == ((), ())
    bent = searched({"pyproject.toml": PYPROJECT.replace("-q", "--co")}, workspace=before)
    assert seen(bent) == [(ADDED, "pyproject.toml")]
    assert [entry.data for entry in bent.restored] == [PYPROJECT.encode()]


# Deeper than anything may call itself; more, and longer, than anybody writes.
REPEATED, MANY, LONG = "**/" * 1300 + "tests", '", "'.join(["own"] * 60 + ["tests"]), "a" * 5000
MARKED = "[tool.pytest.ini_options]\naddopts = \"-m 'not slow' -p no:randomly\"\n"


@pytest.mark.parametrize(
    ("addopts", "flagged"),
    [
        ("-p no:randomly", False),
        ("-p no:randomly -m 'not slow' -q", False),
        ("-m 'not fast' -p no:randomly", False),
        ("-m 'not slow' -p no:randomly --collect-only", True),
    ],
)
def test_other_options_than_those_of_the_case_are_undone_and_to_run_no_test_is_tampering(
    addopts: str, *, flagged: bool
) -> None:
    added = {"pyproject.toml": f'[tool.pytest.ini_options]\naddopts = "{addopts}"\n'}
    found = searched(added, workspace={**WORK, "pyproject.toml": MARKED})
    assert (bool(found.tampering), [entry.path for entry in found.restored]) == (flagged, ["pyproject.toml"])


MISLEADING = [
    ('testpaths = ["own"]', False),
    ('testpaths = ["tests", "own"]', True),
    pytest.param(f'testpaths = ["{REPEATED}"]', True, id="repeated"),
    pytest.param(f'testpaths = ["{MANY}"]', False, id="many"),
    pytest.param(f'testpaths = ["tests", "{LONG}"]', False, id="long"),
    ('filterwarnings = ["error", "ignore::evil.Boom"]', False),
    ('filterwarnings = ["error", "ignore:old.name:DeprecationWarning"]', True),
    ('addopts = "-W ignore::evil.Boom"', False),
    ('addopts = "-Werror -q"', True),
    ('addopts = "-n 4"', False),
    ('addopts = "--cov src"', False),
]


@pytest.mark.parametrize(("line", "stays"), MISLEADING)
def test_what_misleads_pytest_and_is_honest_elsewhere_is_undone_and_no_tampering(line: str, *, stays: bool) -> None:
    added = {"pyproject.toml": f"[tool.pytest.ini_options]\n{line}\n"}
    found = searched(added, step("pytest", "-q"))
    assert (found.tampering, "pyproject.toml" not in found.removed) == ((), stays)
    assert (
        searched(added, step("pytest", "-q"), workspace={**WORK, **added}).removed
        == searched({}, step("pytest")).removed
    )
    assert "pyproject.toml" not in searched(added, step("true")).removed


def test_where_the_command_names_tests_nobody_reads_where_they_are() -> None:
    added = {"pyproject.toml": '[tool.pytest.ini_options]\ntestpaths = ["own"]\n'}
    assert "pyproject.toml" not in searched(added, step("pytest", "tests/test_app.py")).removed


@pytest.mark.parametrize("padding", ["#" * 200_000 + "\n", f"{'a.' * 300}a = 1\n"])
def test_configuration_that_cannot_be_read_is_undone_and_no_tampering(padding: str) -> None:
    bent = {"pyproject.toml": padding + '[tool.pytest.ini_options]\naddopts = "-p evil"\n'}
    found = searched(bent, workspace={**WORK, "pyproject.toml": PYPROJECT})
    assert ([entry.path for entry in found.restored], found.tampering) == (["pyproject.toml"], ())
    assert "pyproject.toml" in searched(bent).removed


def test_what_vitest_loads_beside_the_tests_is_undone_where_vitest_runs_and_is_no_tampering() -> None:
    before = {**WORK, "site/.postcssrc.cjs": "module.exports = {};\n"}
    text = "module.exports = {plugins: [require('autoprefixer')]};\n"
    added = dict.fromkeys(("postcss.config.mjs", "site/.postcssrc.cjs", "node_modules/a/.postcssrc"), text)
    found = searched(added, step("npx", "vitest", "run"), workspace=before)
    assert (found.tampering, [entry.path for entry in found.restored]) == ((), ["site/.postcssrc.cjs"])
    assert found.removed == ("postcss.config.mjs",)
    assert searched(added, step("npx", "vite", "build"), workspace=before).removed == ()
    allowed = searched(added, step("npx", "vitest", "run"), workspace=before, allow=["postcss.config.*", ".postcssrc*"])
    assert (allowed.removed, allowed.restored) == ((), ())


def test_what_jest_puts_in_place_of_packages_that_tests_of_the_case_import_is_undone_and_is_no_tampering() -> None:
    test = "require('chai'); import \"@a/b\"; `don't`"
    before = {**WORK, "tests/a.test.js": test, "__mocks__/@a/b.js": "1", "m.js": "'ky'"}
    names = ("__mocks__/chai.js", "src/__mocks__/chai.ts", "__mocks__/@a/b.js", "__mocks__/ky.js", "src/__mocks__/m.js")
    added = dict.fromkeys(names, "module.exports = () => 1;")
    found = searched(added, step("npx", "jest"), workspace=before)
    assert (found.tampering, [entry.path for entry in found.restored]) == ((), ["__mocks__/@a/b.js"])
    assert found.removed == ("__mocks__/chai.js", "src/__mocks__/chai.ts")
    assert searched(added, step("npx", "vitest", "run"), workspace=before).removed == ()
    assert searched(added, step("npx", "jest"), workspace=before, allow=["**/__mocks__/**"]).removed == ()


@pytest.mark.parametrize(("command", "kept"), [("jest", {"postcss"}), ("vitest", set()), ("node", {"postcss"})])
def test_what_rewrites_tests_is_taken_out_of_a_package_and_is_no_tampering(command: str, kept: set[str]) -> None:
    mine = {**PACKAGE, "babel": {"plugins": ["./mine.js"]}, "postcss": {"plugins": {"./mine.cjs": {}}}}
    found = searched({"package.json": json.dumps(mine)}, step("npx", command, "run"))
    (left,) = (json.loads(content(entry)) for entry in found.restored)
    assert ({*left} - {*PACKAGE}, found.tampering) == (kept, ())


@pytest.mark.parametrize("start", ["\ufeff", "// a comment\n", "#" * 200_000])
def test_a_package_that_only_some_runtimes_can_read_is_restored(start: str) -> None:
    bent = {"package.json": start + json.dumps({**PACKAGE, "scripts": {"test": "true"}})}
    found = searched(bent, step("npm", "test"), workspace={**WORK, "package.json": json.dumps(PACKAGE)})
    assert ([json.loads(content(entry)) for entry in found.restored], found.tampering) == ([PACKAGE], ())


@pytest.mark.parametrize("start", ["// a comment\n", " " * 200_000])
def test_a_package_that_cannot_be_read_does_not_configure_a_runner_where_the_case_has_none(start: str) -> None:
    bent = {"package.json": start + json.dumps({"jest": {"testRunner": "./mine.js"}})}
    found = searched(bent, step("npx", "jest"))
    assert ("package.json" in found.removed, found.tampering) == (True, ())


def test_what_an_editor_puts_before_a_package_hides_nothing() -> None:
    bent = {"package.json": "\ufeff" + json.dumps({"jest": {"testRunner": "./mine.js"}})}
    found = searched(bent, step("npx", "jest"))
    assert [json.loads(content(entry)) for entry in found.restored] == [{}]


def test_of_very_much_configuration_the_rest_is_undone_unread() -> None:
    bent = '[tool.pytest.ini_options]\naddopts = "--co"\n'
    harmless = {f"a{number:03}/pyproject.toml": "[project]\n" for number in range(500)}
    found = searched(
        {**harmless, "z/pyproject.toml": bent, "z/package.json": "{}"}, step("sh", "-c", "pytest; npm test")
    )
    assert not {*harmless} & {*found.removed}
    assert {"z/pyproject.toml", "z/package.json"} <= {*found.removed}
    assert found.tampering == ()
    # What nobody reads counts for nothing, and what is for the whole project is read first.
    others = {f"a{number:03}/package.json": "{}" for number in range(501)}
    assert [one.evidence for one in searched({**others, "pyproject.toml": bent}).tampering] == ["pyproject.toml"]
    assert [
        one.evidence
        for one in searched({**harmless, "setup.cfg": bent.replace("tool.pytest.ini_options", "tool:pytest")}).tampering
    ] == ["setup.cfg"]
    large = {f"a{number:03}/pyproject.toml": "#" * 100_000 for number in range(20)}
    assert not {*large} & {*searched(large).removed}
    more = searched({**large, "z/pyproject.toml": "#" * 100_000, "z/setup.cfg": bent}, step("pytest"))
    assert {"z/pyproject.toml", "z/setup.cfg"} <= {*more.removed}


def test_no_text_makes_the_decision_take_for_ever() -> None:
    spaces = " " * 60_000
    for name, text in {
        "conftest.py": f"pytest_plugins{spaces}={spaces}x\n" + f"def{spaces}" * 2,
        "pyproject.toml": f"{'a.' * 60_000}a = 1\n",
        "bunfig.toml": f"[{spaces}" * 2,
        "setup.cfg": f"[tool:pytest]\naddopts = {' -p' * 30_000}\n",
    }.items():
        searched({name: text}, step(*PYTEST), step("bun", "test"))


def test_dependencies_in_a_protected_manifest_are_no_tampering() -> None:
    before = {**WORK, "pyproject.toml": PYPROJECT, "package.json": json.dumps(PACKAGE)}
    more = {"dependencies": {"a": "2", "b": "1"}, "devDependencies": {"c": "1"}}
    added = {"pyproject.toml": PYPROJECT.replace('["a"]', "[]"), "package.json": json.dumps({**PACKAGE, **more})}
    assert searched(added, workspace=before, protect=["*.toml", "package.json"]).tampering == ()
    bent = {"package.json": json.dumps({**PACKAGE, "imports": {"#a": "./evil.js"}})}
    assert seen(searched(bent, workspace=before, protect=["package.json"])) == [(CHANGED, "package.json")]


def test_a_package_keeps_the_scripts_of_the_case_and_the_dependencies_of_the_candidate() -> None:
    before = {**WORK, "package.json": json.dumps(PACKAGE)}
    mine = {
        **PACKAGE,
        "scripts": {"test": "true", "pretest": "rm -r grading", "build": "tsc"},
        "dependencies": {"b": "1"},
        "jest": {"verbose": True},
    }
    found = searched({"package.json": json.dumps(mine)}, step("npm", "test"), workspace=before)
    (entry,) = found.restored
    assert json.loads(content(entry)) == {
        "name": "app", "scripts": {"build": "tsc", "test": "vitest run"}, "dependencies": {"b": "1"},
    }  # fmt: skip
    assert found.tampering == ()
    assert searched({"package.json": json.dumps(PACKAGE)}, step("npm", "test"), workspace=before).restored == ()


def test_the_runner_is_found_in_the_scripts_that_a_command_runs() -> None:
    own = {**HIDDEN, "grading/run.sh": "cd /workspace\npython3 -m pytest grading/test_it.py\n"}
    assert seen(searched({"conftest.py": HOOK}, step("sh", "grading/run.sh"), own=own)) == [(ADDED, "conftest.py")]
    before = {**WORK, "package.json": json.dumps(PACKAGE)}
    assert searched({"postcss.config.mjs": ""}, step("npm", "test"), workspace=before).removed == (
        "postcss.config.mjs",
    )


def test_a_makefile_that_a_command_runs_is_the_cases() -> None:
    before = {**WORK, "Makefile": "test:\n\tpytest\n"}
    found = searched(
        {"Makefile": "test:\n\ttrue\n", "GNUmakefile": "test:\n\ttrue\n"}, step("make", "test"), workspace=before
    )
    assert ([entry.path for entry in found.restored], found.tampering) == (["Makefile"], ())
    assert "GNUmakefile" in found.removed
    assert searched({"Makefile": "x:\n"}, step("make", "test")).restored == (), "the case leaves it to the candidate"


@pytest.mark.parametrize(
    ("path", "added", "command"),
    [("Cargo.toml", ["build.rs"], ("cargo", "test")), ("CMakeLists.txt", [], ("ctest", "--test-dir", "build"))],
)
def test_what_says_which_tests_a_compiled_project_has_is_restored(
    path: str, added: list[str], command: tuple[str, ...]
) -> None:
    changes = dict.fromkeys((path, *added), "x")
    found = searched(changes, step(*command), workspace={**WORK, path: "y"})
    assert ([entry.path for entry in found.restored], found.removed, found.tampering) == ([path], tuple(added), ())
    assert searched({path: "x"}, step(*command)).restored == (), "the case leaves it to the candidate"


@pytest.mark.parametrize(
    ("path", "is_removed"),
    [("sum/go.mod", True), ("sum/deep/go.mod", False), ("go.mod", False), ("tools/go.mod", False)],
)
def test_no_submission_takes_tests_out_of_what_go_runs(path: str, is_removed: bool) -> None:
    before = {"sum/sum.go": "", "sum/sum_test.go": "", "tools/gen.go": ""}
    found = searched({path: "module x\n"}, step("go", "test", "./..."), workspace=before)
    assert (found.removed, found.tampering) == ((path,) if is_removed else (), ())
    assert searched({path: "module x\n"}, step("true"), workspace=before).removed == ()
    kept = searched({path: "module x\n"}, step("go", "test", "./..."), workspace={**before, path: "module y\n"})
    assert kept.removed == ()


def test_a_link_in_the_place_of_a_manifest_is_undone() -> None:
    found = searched({"pyproject.toml": "-> evil.toml"}, workspace={**WORK, "pyproject.toml": PYPROJECT})
    assert ([entry.path for entry in found.restored], found.tampering) == (["pyproject.toml"], ())


def test_what_would_stand_in_for_a_runner_is_taken_even_if_only_a_setup_makes_it() -> None:
    assert {"pytest.py", "src/_pytest/__init__.py"} <= set(searched({}, step(*PYTEST, cwd=f"{WORKSPACE}/src")).removed)
    assert searched({}, step("true")).removed == ()
    assert "pytest.py" not in searched({}, workspace={**WORK, "pytest.py": ""}).removed


def test_modules_are_looked_for_where_a_command_says_it() -> None:
    line = searched({}, step("sh", "-c", "cd 'app' && PYTHONPATH=lib:/workspace/src pytest"))
    assert {"app/pytest.py", "lib/pytest.py", "src/pytest.py"} <= set(line.removed)
    plugin = {"src/evil.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n"}
    assert {*plugin} <= {*searched(plugin, replace(step(*PYTEST), env={"PYTHONPATH": "src"})).removed}


def test_the_workspace_is_no_package_unless_the_case_says_so() -> None:
    assert "__init__.py" in searched({"__init__.py": ""}).removed
    assert "__init__.py" not in searched({"__init__.py": ""}, workspace={**WORK, "__init__.py": ""}).removed
    assert "__init__.py" not in searched({"__init__.py": ""}, allow=["__init__.py"]).removed
    assert "__init__.py" not in searched({"__init__.py": ""}, step("node", "a.js")).removed


TEXTS = st.text(max_size=200) | st.sampled_from(
    ["[" * 5000, '{"a":' * 5000, "[pytest]\n= = =", '{"scripts": 1, "jest": 2}']
)


@settings(deadline=None)
@given(
    st.sampled_from(
        ["pyproject.toml", "setup.cfg", "package.json", "pytest.ini", "conftest.py", "bunfig.toml", "x.pth"]
    ),
    TEXTS,
    TEXTS,
)
def test_no_text_of_anybody_breaks_the_decision(name: str, before: str, after: str) -> None:
    steps = (step("npm", "test"), step(*PYTEST), step("bun", "test"))
    found = searched({name: after}, *steps, workspace={**WORK, name: before}, protect=["package.json"])
    for entry in found.restored:
        assert len(content(entry)) == entry.size

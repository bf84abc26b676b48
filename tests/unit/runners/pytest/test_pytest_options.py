"""Settings of pytest: what a configuration file decides."""

from __future__ import annotations

import pytest

from gradebox.graders.runners.pytest.pytest_options import read, skips_tests


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\naddopts = -q -k one\ntestpaths = tests more\n"),
        ("setup.cfg", "[tool:pytest]\naddopts: -q -k one\ntestpaths: tests\n  more\n[pytest]\nx = 1\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\naddopts = "-q -k one"\ntestpaths = ["tests", "more"]\n'),
        ("pytest.toml", '[pytest]\naddopts = ["-q", "-k", "one"]\ntestpaths = ["tests", "more"]\n'),
    ],
)
def test_every_format_says_the_same(name: str, text: str) -> None:
    options = read(name, text)
    assert options is not None
    assert (dict(options.deciding), options.testpaths) == ({"addopts": "-k one"}, ("tests", "more"))


def test_what_only_shows_results_decides_nothing() -> None:
    options = read(
        "pytest.ini", "[pytest]\naddopts = -q --tb short -p no:cacheprovider\nlog_cli = true\nmarkers = slow\n"
    )
    assert options is not None
    assert (options.deciding, options.loading, options.strict) == ({}, {}, ())


def test_settings_that_load_or_find_modules_and_that_are_strict() -> None:
    options = read(
        "pytest.ini",
        "[pytest]\naddopts = -n 4 --import-mode=importlib\npythonpath = src\nfilterwarnings = error::work.Warning:x\n",
    )
    assert options is not None
    assert options.import_mode == ("--import-mode=importlib",)
    assert options.pythonpath == "src"
    assert "addopts" in options.loading
    assert options.strict[1] == "error::work.Warning:x"


def test_what_would_take_long_to_read_is_unknown() -> None:
    assert read("pyproject.toml", "a." * 300 + "b = 1") is None
    assert read("pyproject.toml", "no toml") is not None


def test_options_with_which_no_test_is_run() -> None:
    options = read("pytest.ini", "[pytest]\naddopts = -q --collect-only -k one\n")
    assert options is not None
    assert options.no_tests == {"--collect-only"}


def test_tests_that_places_would_skip() -> None:
    assert skips_tests(("tests",), ["tests/test_a.py", "more/test_b.py"])
    assert not skips_tests(("tests", "more"), ["tests/test_a.py", "more/test_b.py"])
    assert not skips_tests((), ["test_a.py"])
    assert skips_tests(("tests",) * 51, [])

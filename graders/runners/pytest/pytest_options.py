"""Reads the settings in a pytest configuration file that affect results. Pure: text in, values out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gradebox.graders.documents.globs import matches

# The time to parse dotted keys grows with the square of their length.
_DOTS = 200

# Honest projects have tests in fewer places, and comparing many takes long.
_TESTPATHS = 50
_TESTPATHS_CHARACTERS = 4096

Options = Mapping[str, str]

# With these options pytest runs no test. No honest file has them.
NO_TESTS = frozenset(
    {"--co", "--collect-only", "--collectonly", "--setup-plan", "--setup-only", "--fixtures", "--funcargs"}
    | {"--fixtures-per-test", "--markers", "--cache-show", "--help", "-h", "--version", "-V"}
)

# Settings that change how results are shown or how long they take, never which tests run or what they mean.
_DISPLAY = re.compile(
    r"markers|minversion|pythonpath|asyncio_\w+|anyio_\w+|timeout\w*|log_\w+|junit_\w+|filterwarnings"
    r"|xfail_strict|console_output_style|cache_dir|tmp_path_\w+|truncation_\w+|verbosity_\w+|faulthandler_\w+|doctest_\w+"
)
_DISPLAY_WORDS = re.compile(
    r"-[qvslx]+|-r\w*|-n\S*|-W\S*|--(?:tb|color|durations|import-mode|log-\w+|asyncio-mode|maxfail|cov[\w-]*|timeout)(?:=\S*)?"
    r"|--strict(?:-markers|-config)?|--verbose|--quiet|--showlocals|--no-header|--disable-warnings|--ff|--doctest-modules"
)
# Options whose value may be the next word.
_WITH_VALUE = re.compile(
    r"(?P<option>(?<!\S)(?:-[nrW]|--(?:tb|color|durations|import-mode|log-\w+|asyncio-mode|maxfail|timeout|cov[\w-]*)))"
    r" (?=[^-\s])"
)
_IMPORT_MODE = re.compile(r"--import-mode\S*")
# With these, pytest imports a module by its name, or runs tests in processes that we observe less.
_LOADING_WORDS = re.compile(r"-n\S*|-W\S*\.\S*|--cov\S*")


class PytestOptions(NamedTuple):
    """The settings in a configuration file of pytest that affect more than the display of results."""

    deciding: Options  # Settings that decide which tests run and what they mean.
    no_tests: frozenset[str]  # Words of `addopts` that make pytest run no test.
    loading: Options  # Settings that may load code of the workspace beside the tests. Honest work has them, too.
    testpaths: tuple[str, ...]  # Where tests are, if the command names no path.
    pythonpath: str = ""  # The directories that are searched first for modules.
    import_mode: tuple[str, ...] = ()  # Options for whether and when modules are searched for beside the tests.
    strict: tuple[str, ...] = ()  # Settings that turn warnings or unexpected passes into failures.


def read(name: str, text: str) -> PytestOptions | None:
    """Return the options of a pytest configuration file that affect results.

    `name` is the file's name without directories. Invalid TOML gives no options, since pytest does not start with it.

    Returns:
        None if parsing could take too long.
    """
    if not name.endswith(".toml"):
        options = _pytest_ini("tool:pytest" if name == "setup.cfg" else "pytest", text)
    elif any(line.count(".") > _DOTS for line in text.splitlines()):
        return None
    else:
        options = _pytest_toml(text, inside_tool=name == "pyproject.toml")
    testpaths = tuple(_words(options.get("testpaths", "")))
    options = {key: value for key, value in options.items() if key != "testpaths"}
    return PytestOptions(
        {key: _deciding(key, value) for key, value in options.items() if not _is_display_only(key, value)},
        NO_TESTS.intersection(_added(options.get("addopts", ""))),
        {key: value for key, value in options.items() if _is_loading(key, value)},
        testpaths,
        options.get("pythonpath", ""),
        tuple(filter(_IMPORT_MODE.fullmatch, _added(options.get("addopts", "")))),
        _strict(options),
    )


def _strict(options: Options) -> tuple[str, ...]:
    """Return the settings that turn warnings and the like into failures; none if no value does so."""
    warnings = [word for word in _added(options.get("addopts", "")) if word.startswith("-W")]
    value = (options.get("xfail_strict", ""), options.get("filterwarnings", ""), *warnings)
    return value if re.search(r"error|\b(?:true|yes|on|1)\b", " ".join(value), re.IGNORECASE) else ()


def skips_tests(testpaths: tuple[str, ...], tests: Iterable[str]) -> bool:
    """Return whether pytest would skip one of these files if it searches `testpaths` for tests."""
    if len(testpaths) > _TESTPATHS or sum(map(len, testpaths)) > _TESTPATHS_CHARACTERS:
        return True
    return bool(testpaths) and not all(matches(test, testpaths) for test in tests)


def _pytest_toml(text: str, *, inside_tool: bool) -> Options:
    import tomllib  # noqa: PLC0415 - few submissions have such a file

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
    outer = document.get("tool") if inside_tool else document
    table = outer.get("pytest") if isinstance(outer, dict) else None
    if not isinstance(table, dict):
        return {}
    inner = table.get("ini_options")
    found = {**table, **inner} if isinstance(inner, dict) else table
    return {key: _joined(value) for key, value in found.items() if key != "ini_options"}


def _joined(value: object) -> str:
    return shlex.join(map(str, value)) if isinstance(value, list) else str(value)


def _pytest_ini(section: str, text: str) -> Options:
    """Read one section as pytest does (iniconfig); configparser would read it slightly differently."""
    found: dict[str, str] = {}
    inside, key = False, ""
    for line in text.splitlines():
        if line.startswith("["):
            inside = re.split("[#;]", line)[0].strip() == f"[{section}]"
        elif not inside or not line.strip() or line.startswith(("#", ";")):
            continue
        elif line[0].isspace():
            found[key] = f"{found.get(key, '')} {line.strip()}"
        else:
            name, _, value = re.sub("[=:]", "=", line, count=1).partition("=")
            key = name.strip()
            found[key] = value.strip()
    return found


def _is_display_only(option: str, value: str) -> bool:
    if option != "addopts":
        return _DISPLAY.fullmatch(option) is not None
    return all(_DISPLAY_WORDS.fullmatch(word) for word in _added(value))


def _deciding(option: str, value: str) -> str:
    if option != "addopts":
        return value
    return " ".join(word for word in _added(value) if not _DISPLAY_WORDS.fullmatch(word))


def _is_loading(option: str, value: str) -> bool:
    if option == "filterwarnings":
        # The third part is the category, which is imported if it is a dotted name.
        return any("." in line.split(":")[2] for line in value.split() if line.count(":") >= 2)
    return option == "addopts" and any(_LOADING_WORDS.fullmatch(word) for word in _added(value))


def _added(value: str) -> list[str]:
    """Return the words of `addopts`, each option joined with its value."""
    joined = _WITH_VALUE.sub(r"\g<option>=", " ".join(_words(value)))
    # This `-p` option is harmless: it removes a plugin instead of loading one.
    return re.sub(r"(^| )-p +no:cacheprovider\b", "", joined).split()


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:
        return ["unreadable"]

"""Settings of pytest: what a configuration file says that decides anything. Pure: text in, values out."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from graders.documents.globs import matches

# The time that dotted keys take grows with the square of their length.
_DOTS = 200

# More is not where anybody's tests are, and takes long to hold against them.
_TESTPATHS = 50
_TESTPATHS_CHARACTERS = 4096

Options = Mapping[str, str]

# What changes how results are shown or how long they take, and never which tests run or what they mean.
_SHOWING = re.compile(
    r"markers|minversion|pythonpath|asyncio_\w+|anyio_\w+|timeout\w*|log_\w+|junit_\w+|filterwarnings"
    r"|xfail_strict|console_output_style|cache_dir|tmp_path_\w+|truncation_\w+|verbosity_\w+|faulthandler_\w+|doctest_\w+"
)
_SHOWING_WORDS = re.compile(
    r"-[qvslx]+|-r\w*|-n\S*|-W\S*|--(?:tb|color|durations|import-mode|log-\w+|asyncio-mode|maxfail|cov[\w-]*|timeout)(?:=\S*)?"
    r"|--strict(?:-markers|-config)?|--verbose|--quiet|--showlocals|--no-header|--disable-warnings|--ff|--doctest-modules"
)
# Options whose value may be written apart from them.
_WITH_VALUE = re.compile(
    r"(?P<option>(?<!\S)(?:-[nrW]|--(?:tb|color|durations|import-mode|log-\w+|asyncio-mode|maxfail|timeout|cov[\w-]*)))"
    r" (?=[^-\s])"
)
_FINDING_WORDS = re.compile(r"--import-mode\S*")
# What has pytest import a module by its name, or run tests in processes that are looked at less.
_LOADING_WORDS = re.compile(r"-n\S*|-W\S*\.\S*|--cov\S*")


class PytestOptions(NamedTuple):
    """What a configuration file says to pytest beside how to show results.

    Attributes:
        deciding: Which tests run and what they mean.
        loading: What may have code of the workspace loaded beside the tests; honest work says that as well.
        testpaths: Where tests are, if the command does not say it.
        pythonpath: Where modules are looked for first.
        import_mode: Whether they are looked for beside the tests, and when.
        strict: What makes failures of warnings, or of tests that pass and should not, with all that goes with it.
    """

    deciding: Options
    loading: Options
    testpaths: tuple[str, ...]
    pythonpath: str = ""
    import_mode: tuple[str, ...] = ()
    strict: tuple[str, ...] = ()


def read(name: str, text: str) -> PytestOptions | None:
    """Return the options of a pytest configuration file that decide anything.

    Args:
        name: Of the file, without directories.
        text: What it holds. Text that is no TOML is no configuration: pytest does not start with it.

    Returns:
        None if reading it could take for ever.
    """
    if not name.endswith(".toml"):
        options = _pytest_ini("tool:pytest" if name == "setup.cfg" else "pytest", text)
    elif any(line.count(".") > _DOTS for line in text.splitlines()):
        return None
    else:
        options = _pytest_toml(text, inside_tool=name == "pyproject.toml")
    testpaths = tuple(_words(options.get("testpaths", "")))
    options = {key: said for key, said in options.items() if key != "testpaths"}
    return PytestOptions(
        {key: _deciding(key, said) for key, said in options.items() if not _is_showing(key, said)},
        {key: said for key, said in options.items() if _is_loading(key, said)},
        testpaths,
        options.get("pythonpath", ""),
        tuple(filter(_FINDING_WORDS.fullmatch, _added(options.get("addopts", "")))),
        _strict(options),
    )


def _strict(options: Options) -> tuple[str, ...]:
    """Return what is said of failures that others would not see, nothing where nobody is strict."""
    warnings = [word for word in _added(options.get("addopts", "")) if word.startswith("-W")]
    said = (options.get("xfail_strict", ""), options.get("filterwarnings", ""), *warnings)
    return said if re.search(r"error|\b(?:true|yes|on|1)\b", " ".join(said), re.IGNORECASE) else ()


def decides_more(was: Options, now: Options) -> bool:
    """Say whether options that decide say anything that they did not say before; to say less is nobody's interest."""
    return any(not _parts(key, said) <= _parts(key, was.get(key, "")) for key, said in now.items())


def _parts(option: str, said: str) -> frozenset[str]:
    """Return what an option says, of `addopts` each of the command line's with its value."""
    return frozenset(re.split(r" (?=-)", said) if option == "addopts" else [said])


def passes_by(testpaths: tuple[str, ...], tests: Iterable[str]) -> bool:
    """Say whether pytest, told to look for tests in these places, would not look at one of these files."""
    if len(testpaths) > _TESTPATHS or sum(map(len, testpaths)) > _TESTPATHS_CHARACTERS:
        return True
    return bool(testpaths) and not all(matches(test, testpaths) for test in tests)


def _pytest_toml(text: str, *, inside_tool: bool) -> Options:
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
    """Read one section as pytest does (iniconfig), which is not quite as configparser would."""
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


def _is_showing(option: str, said: str) -> bool:
    if option != "addopts":
        return _SHOWING.fullmatch(option) is not None
    return all(_SHOWING_WORDS.fullmatch(word) for word in _added(said))


def _deciding(option: str, said: str) -> str:
    if option != "addopts":
        return said
    return " ".join(word for word in _added(said) if not _SHOWING_WORDS.fullmatch(word))


def _is_loading(option: str, said: str) -> bool:
    if option == "filterwarnings":
        # The third part is the category, which is imported if it is a dotted name.
        return any("." in line.split(":")[2] for line in said.split() if line.count(":") >= 2)
    return option == "addopts" and any(_LOADING_WORDS.fullmatch(word) for word in _added(said))


def _added(said: str) -> list[str]:
    """Return the words of `addopts`, each with its value; those that nobody could read are none."""
    joined = _WITH_VALUE.sub(r"\g<option>=", " ".join(_words(said)))
    # The one value of that option which takes a plugin away instead of bringing one.
    return re.sub(r"(^| )-p +no:cacheprovider\b", "", joined).split()


def _words(said: str) -> list[str]:
    try:
        return shlex.split(said)
    except ValueError:
        return ["unreadable"]

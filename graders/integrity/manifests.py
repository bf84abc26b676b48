"""Files that say what a project needs and, beside that, how its tests are run. Pure: text in, values out.

Such a file cannot simply be put back as the case has it: that a submission adds a dependency is honest work. So it is
read as the runner reads it, and what steers the runner is told from the rest.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from graders.documents import strict_json
from graders.integrity.control_files import matches

MAX_BYTES = 128 * 1024
# The time that dotted keys take grows with the square of their length.
_DOTS = 200

# More is not where anybody's tests are, and takes long to hold against them.
_TESTPATHS = 50
_TESTPATHS_CHARACTERS = 4096

Options = Mapping[str, str]

_DESCRIPTIVE = frozenset(
    {
        "name", "version", "description", "keywords", "author", "authors", "maintainers", "license", "readme", "urls",
        "repository", "homepage", "classifiers", "engines", "packageManager", "requires-python", "compat",
        "dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "optional-dependencies",
        "dependency-groups",
    }
)  # fmt: skip

_JAVASCRIPT_RUNNERS = ("jest", "mocha", "ava", "vitest", "tap", "bun")
# What rewrites tests, or is loaded beside them, as the files of that name: honest packages say that as well.
_TRANSLATORS = ("babel",)

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


def pytest_options(name: str, text: str) -> PytestOptions | None:
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


def package(text: str) -> dict[str, Any] | None:
    """Return what a package.json holds, None if it holds none that a runtime could read."""
    try:
        # As npm and Node's runners read it, whatever an editor put before it.
        document = strict_json.loads(text.removeprefix("\ufeff"))
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def steered_as(case: Mapping[str, Any], other: Mapping[str, Any], more: Iterable[str] = ()) -> dict[str, Any]:
    """Return a package with the scripts and settings of runners that the case has, and all else as it is.

    Args:
        case: The package of the case.
        other: The one of the submission.
        more: What else steers the runners in use.
    """
    steering = (*_JAVASCRIPT_RUNNERS, *_TRANSLATORS, *more)
    merged = {key: value for key, value in other.items() if key not in steering}
    merged |= {key: case[key] for key in steering if key in case}
    scripts, own = other.get("scripts"), case.get("scripts")
    if isinstance(own, dict):
        hooks = {f"{hook}{name}" for name in own for hook in ("pre", "post")}
        brought = scripts if isinstance(scripts, dict) else {}
        merged["scripts"] = {name: line for name, line in brought.items() if name not in hooks} | own
    return merged


def runner_settings(document: Mapping[str, Any] | None) -> str:
    """Return what a package says to test runners, as text."""
    found = {key: document[key] for key in _JAVASCRIPT_RUNNERS if key in document} if document else {}
    return json.dumps(found) if found else ""


def same_but_for_dependencies(name: str, one: str, other: str) -> bool:
    """Say whether two versions of a manifest differ in descriptions and dependencies alone."""
    if any(line.count(".") > _DOTS for text in (one, other) for line in text.splitlines()):
        return False
    try:
        if name.endswith(".toml"):
            return _without(tomllib.loads(one)) == _without(tomllib.loads(other))
        return name == "package.json" and _without(json.loads(one)) == _without(json.loads(other))
    except (ValueError, RecursionError):
        return False


def _without(document: object) -> object:
    if not isinstance(document, dict):
        return document
    project = document.get("project")
    plain = {key: value for key, value in document.items() if key not in _DESCRIPTIVE and key != "project"}
    if isinstance(project, dict):
        plain["project"] = {key: value for key, value in project.items() if key not in _DESCRIPTIVE}
    return plain

"""JavaScript: items are modules that Node.js evaluates."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any

from gradebox.graders.languages.language import CallRunner, ControlFile, Language, inside, written_by

_EXACT = 1 << 53


def _float(value: float) -> str:
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(repr(value), repr(value))


def _list(values: Iterable[Any]) -> str:
    return f"[{', '.join(map(literal, values))}]"


def _object(value: dict[Any, Any]) -> str:
    if any(not isinstance(key, str) or key == "__proto__" for key in value):
        return f"new Map({_list(map(list, value.items()))})"
    return f"{{{', '.join(f'{json.dumps(key)}: {literal(part)}' for key, part in value.items())}}}"


literal: Callable[[Any], str] = written_by(
    "JavaScript",
    {
        type(None): lambda _: "null",
        bool: json.dumps,
        str: json.dumps,
        int: lambda value: str(value) if abs(value) < _EXACT else f"{value}n",
        float: _float,
        bytes: lambda value: f"new Uint8Array({list(value)})",
        date: lambda value: f'new Date("{value.isoformat()}")',
        datetime: lambda value: f'new Date("{value.isoformat()}")',
        list: _list,
        tuple: _list,
        set: lambda value: f"new Set({_list(value)})",
        dict: _object,
    },
)


def _apart(names: str) -> tuple[Path, ...]:
    return tuple(inside("javascript") / "apart" / f"{name}.js" for name in names.split())


_SIBLING_ERRORS = "AggregateError DOMException EvalError RangeError ReferenceError SyntaxError TypeError URIError"
CALLS = CallRunner(
    literal,
    (*_apart("prelude codec"), inside("javascript") / "call_runner.mjs"),
    dialect="javascript",
    one_number=True,
    has_moments=True,
    nulls=("undefined", "hole"),
    sibling_errors=frozenset(_SIBLING_ERRORS.split()),
)

_APART = (
    "prelude codec table sharing peer candidate gathered contract naming answers arrivals reads constants "
    "stand_ins callbacks intrinsics lending grader starting files finder loading"
)


def apart(program: str) -> tuple[Path, ...]:
    """Return the files shared by all items and tests that run apart by a program, ``node`` or ``bun``."""
    return _apart(f"{_APART} loading_{program}")


def items_apart(program: str) -> tuple[Path, ...]:
    """Return the files of the runner of items that run apart by a program, ``node`` or ``bun``."""
    return (*apart(program), inside("javascript") / "programs.js", *_apart("items"))


LANGUAGE = Language(
    name="javascript",
    image="node",
    programs=("node", "npm", "npx"),
    answer_file="solution.js",
    fences=frozenset({"javascript", "js", "mjs", "cjs", "jsx", "node"}),
    # Without `--no-warnings`, Node would warn that modules made by programs are experimental.
    command=("node", "--no-warnings", "--experimental-vm-modules", "--input-type=module", "-e"),
    runner=tuple(inside("javascript") / name for name in ("programs.js", "shared.js", "item_runner.mjs")),
    apart=items_apart("node"),
    calls=CALLS,
    interpreter="node",
    program=("node", "{file}"),
    tools={"node": "node|npm|npx|yarn|pnpm|mocha", "mocha": "mocha"},
    # These files can preload modules, change module resolution, or rewrite sources.
    control_files=(
        ControlFile(".npmrc"),
        ControlFile(".mocharc*"),
        ControlFile("babel.config.*"),
        ControlFile(".babelrc*"),
        ControlFile(".swcrc"),
        ControlFile(".env"),
        ControlFile(".env.*"),
    ),
    # Files with options that load modules, and directories of modules that are found from everywhere.
    home_files=(".npmrc", ".yarnrc", ".yarnrc.yml", ".node_modules/", ".node_libraries/"),
    complaints=(
        (
            r"(?:\w*Error[^\n]*: )?Cannot find (?:module|package) '(?P<module>[^'\n]+)'"
            r"(?: (?:imported )?from '?(?P<source>[^\s']+)|\nRequire stack:\n(?:# )?- (?P<stack>\S+))?"
        ),
        r"Could not find '(?P<file>[^'\n]+)'$",
        r"(?:file://)?(?P<source>/[^\s:]+):\d+\n(?:[^\n]*\n){1,4}?SyntaxError: (?!The requested|Named export)",
        r"(?:file://)?(?P<source>/[^\s:]+):\d+\n(?:[^\n]*\n){1,4}?ReferenceError: (?P<name>[\w$]+) is not defined",
        # vitest
        r"(?:Error: )?Failed to load url (?P<module>\S+) \(resolved id: [^)\n]*\) in (?P<source>\S+?)\. Does",
        r"(?:Error: )?Failed to resolve import \"(?P<module>[^\"\n]+)\" from \"(?P<source>[^\"\n]+)\"",
    ),
    title="JavaScript",
    package=__name__,
)

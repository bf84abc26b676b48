"""Julia: items are evaluated in modules of their own, without start-up and history files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from gradebox.graders.languages.language import CallRunner, ControlFile, Language, inside, written_by

_SMALL = 1 << 63
_APART = (
    "json", "contract", "answers", "rewording", "sharing", "codec", "containers", "objects", "peer", "candidate",
    "grader", "operators", "files", "tests", "items",
)  # fmt: skip


def _list(values: Iterable[Any]) -> str:
    return f"[{', '.join(map(literal, values))}]"


def _dict(value: dict[Any, Any]) -> str:
    return f"Dict({', '.join(f'{literal(key)} => {literal(part)}' for key, part in value.items())})"


literal: Callable[[Any], str] = written_by(
    "Julia",
    {
        type(None): lambda _: "nothing",
        bool: lambda value: str(value).lower(),
        int: lambda value: str(value) if -_SMALL < value < _SMALL else f'big"{value}"',
        float: lambda value: {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}.get(repr(value), repr(value)),
        str: lambda value: json.dumps(value, ensure_ascii=False).replace("$", "\\$"),
        complex: lambda value: f"complex({literal(value.real)}, {literal(value.imag)})",
        Fraction: lambda value: f"{value.numerator}//{value.denominator}",
        bytes: lambda value: f"UInt8[{', '.join(map(str, value))}]",
        tuple: lambda value: f"({' '.join(f'{literal(part)},' for part in value)})",
        list: _list,
        set: lambda value: f"Set({_list(value)})",
        dict: _dict,
    },
)


def _keywords(named: Mapping[str, Any]) -> str:
    return f"(;{''.join(f' {name} = {literal(value)},' for name, value in named.items())})"


LANGUAGE = Language(
    name="julia",
    image="julia",
    programs=("julia",),
    answer_file="solution.jl",
    fences=frozenset({"julia", "jl"}),
    command=("julia", "--startup-file=no", "--history-file=no", "-e"),
    runner=tuple(inside("julia") / f"{name}.jl" for name in ("equality", "controls", "item_runner")),
    apart=tuple(inside("julia") / "apart" / f"{name}.jl" for name in _APART),
    calls=CallRunner(
        literal,
        (inside("julia") / "call_runner.jl",),
        keywords=_keywords,
        nulls=("missing",),
        scalars={"Rational": Fraction, "Complex": complex},
    ),
    interpreter="julia",
    tools={"julia": "julia"},
    program=("julia", "--startup-file=no", "{file}"),
    starts={".jl": ("julia",)},
    control_files=(
        # Julia runs this file at every start.
        ControlFile("startup.jl"),
        ControlFile("LocalPreferences.toml"),
    ),
    # The first depot: its start-up file, and files that would be loaded in place of packages and the standard library.
    # Its directory of compiled code stays open: before version 1.9 no package can be loaded without it.
    home_files=(".julia/config/", ".julia/environments/", ".julia/packages/", ".julia/artifacts/"),
    complaints=(
        r"ERROR: [^\n]*\bPackage (?P<module>\w+) not found in current path",
        r"ERROR: [^\n]*(?:could not open file |opening file \")(?P<file>[^\s\"]+\.jl)\b",
        r"ERROR: [^\n]*(?:could not open file |opening file \")(?P<data>[^\s\"]+)",
        r"ERROR: [^\n]*(?:syntax: |ParseError:)(?:[^\n]*\n){1,20}?in expression starting at (?P<source>/[^\s:]+)",
        (
            r"ERROR: [^\n]*UndefVarError: `?(?P<name>[^\s`]+)`? not defined(?:[^\n]*\n){1,6}?"
            r"\[\d+\] [^\n]*?at (?P<source>/[^\s:]+):\d"
        ),
    ),
    title="Julia",
    package=__name__,
)

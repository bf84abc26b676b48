"""Julia: items are evaluated in modules of their own, without start-up and history files."""

from __future__ import annotations

from graders.languages.language import INSIDE, ControlFile, Language

LANGUAGE = Language(
    name="julia",
    image="julia",
    programs=("julia",),
    answer_file="solution.jl",
    fences=frozenset({"julia", "jl"}),
    command=("julia", "--startup-file=no", "--history-file=no", "-e"),
    runner=(INSIDE / "julia" / "equality.jl", INSIDE / "julia" / "item_runner.jl"),
    interpreter="julia",
    tools={"julia": "julia"},
    control_files=(
        # Run at every start.
        ControlFile("startup.jl"),
        ControlFile("LocalPreferences.toml"),
    ),
    # The first depot: its start-up file, and what would be loaded in place of packages and standard library. What it
    # compiles there is not closed: before version 1.9 no package can be loaded without.
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
)

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
        ControlFile("startup.jl", "julia"),
        ControlFile("LocalPreferences.toml"),
    ),
)

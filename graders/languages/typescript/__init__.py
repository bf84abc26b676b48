"""TypeScript: items are modules that Bun evaluates."""

from __future__ import annotations

from gradebox.graders.languages.javascript import CALLS, items_apart
from gradebox.graders.languages.language import ControlFile, Language, inside

LANGUAGE = Language(
    name="typescript",
    image="bun",
    programs=("bun", "bunx", "tsx", "ts-node"),
    answer_file="solution.ts",
    fences=frozenset({"typescript", "ts", "mts", "cts", "tsx"}),
    command=("bun", "-e"),
    runner=(
        inside("javascript") / "programs.js",
        inside("javascript") / "shared.js",
        inside("typescript") / "item_runner.ts",
    ),
    apart=items_apart("bun"),
    calls=CALLS,
    interpreter="bun",
    tools={"bun": "bun|bunx"},
    # Bun runs JavaScript as well.
    program=("bun", "run", "{file}"),
    starts=dict.fromkeys((".ts", ".mts", ".js", ".mjs"), ("bun", "run")),
    control_files=(ControlFile("bunfig.toml"),),
    home_files=(".bunfig.toml",),
    # Bun must not load code from its cache of translated sources either, which lies below HOME.
    env={"BUN_RUNTIME_TRANSPILER_CACHE_PATH": "0"},
    complaints=(
        r"error: Cannot find (?:module|package) ['\"](?P<module>[^'\"\n]+)['\"] from ['\"](?P<source>[^'\"\n]+)['\"]",
        r"error: (?:Module|Script) not found \"(?P<file>[^\"\n]+)\"",
        r"error: Could not find an existing '(?P<program>[^'\n]+)' binary to run",
        r"The following filters did not match any test files:\n(?P<file>\S+)",
        r"error: [^\n]*\nat (?P<source>/[^\s:]+):\d+:\d+\n\n?(?:\d+ \||-----|Bun v)",
        r"ReferenceError: (?P<name>[\w$]+) is not defined\nat [^\n]*?(?P<source>/[^\s:()]+):\d+",
    ),
    title="TypeScript",
    package=__name__,
)

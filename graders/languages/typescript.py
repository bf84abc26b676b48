"""TypeScript: items are modules that Bun evaluates."""

from __future__ import annotations

import re

from graders.languages.language import INSIDE, ControlFile, Language

_BUNFIG = re.compile(r"\bpreload\b|\[\s*test\b|\bdefine\b|\bloader\b|\bplugins\b")

LANGUAGE = Language(
    name="typescript",
    image="bun",
    programs=("bun", "bunx", "tsx", "ts-node"),
    answer_file="solution.ts",
    fences=frozenset({"typescript", "ts", "mts", "cts", "tsx"}),
    command=("bun", "-e"),
    runner=(INSIDE / "typescript" / "item_runner.ts",),
    interpreter="bun",
    tools={"bun": "bun|bunx"},
    control_files=(ControlFile("bunfig.toml", "bun", _BUNFIG),),
)

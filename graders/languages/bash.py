"""Bash: items run in one shell without start-up files, in the base image."""

from __future__ import annotations

from graders.languages.language import INSIDE, Language

LANGUAGE = Language(
    name="bash",
    image="base",
    programs=(),
    answer_file="solution.sh",
    fences=frozenset({"bash", "sh", "shell", "zsh"}),
    command=("bash", "--norc", "--noprofile", "-c"),
    runner=(INSIDE / "bash" / "item_runner.sh",),
)

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
    # Start-up files of shells.
    home_files=(
        ".profile",
        ".bash_profile",
        ".bash_login",
        ".bashrc",
        ".zshenv",
        ".zprofile",
        ".zshrc",
        ".inputrc",
        ".config/fish/",
    ),
    complaints=(
        r"(?P<source>[^\s:]+): (?:line )?\d+: (?:(?:exec|eval): )*(?P<program>[^\s:]+): (?:command )?not found$",
        r"bash: (?P<program>[^\s:]+): command not found$",
        r"\S*env: '?(?P<program>[^'\n:]+)'?: No such file or directory",
        r"timeout: failed to run command '(?P<program>[^'\n]+)': No such file or directory",
        r"[^\s:]+: (?:\d+: )?(?:eval: )?(?:\.: )?cannot open (?P<file>[^\s:]+): No such file",
        r"(?:ba|da)?sh: (?P<file>[^\s:]+): No such file or directory",
        r"[^\s:]+: line \d+: (?P<file>[^\s:]+\.(?:ba)?sh): No such file or directory",
        r"[^\s:]+: line \d+: (?P<data>[^\s:]+): No such file or directory",
        r"[^\s:]+: (?:line )?\d+: (?:eval: )?(?P<source>[^\s:]+): Permission denied",
        r"(?P<source>[^\s:]+): (?:line )?\d+: (?:eval: )?[Ss]yntax error",
    ),
)

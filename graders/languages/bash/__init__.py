"""Bash: items run in one shell without start-up files, in the base image."""

from __future__ import annotations

import re
from typing import Any

from gradebox.graders.languages.bash.program import composed
from gradebox.graders.languages.language import CallRunner, Language, inside

_PLAIN = re.compile(r"[\w./:=@%+,-]+", re.ASCII)


def _word(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise ValueError("an argument of a shell function must be text")  # noqa: TRY004 - as of any value
    text = str(value)
    if "\0" in text:
        raise ValueError("an argument of a shell function cannot contain NUL")
    if _PLAIN.fullmatch(text):
        return text
    escaped = "".join(f"\\x{ord(one):02x}" if one < " " else f"\\{one}" if one in "'\\" else one for one in text)
    return f"$'{escaped}'"


LANGUAGE = Language(
    name="bash",
    image="base",
    programs=(),
    fuller={"bats": "bats"},
    answer_file="solution.sh",
    fences=frozenset({"bash", "sh", "shell", "zsh"}),
    command=("bash", "--norc", "--noprofile", "-c"),
    runner=(inside("bash") / "item_runner.sh",),
    composed=composed,
    calls=CallRunner(
        lambda args: " ".join(map(_word, args)) if isinstance(args, (list, tuple)) else _word(args),
        (inside("bash") / "call_runner.sh",),
        is_text=True,
        after=("bash",),
    ),
    program=("bash", "{file}"),
    starts={".sh": ("sh",)},
    is_shell=True,
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
    title="Bash",
    package=__name__,
)

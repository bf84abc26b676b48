"""C: a program is compiled by GCC."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="c",
    image="gcc",
    programs=("gcc", "cc"),
    answer_file="solution.c",
    fences=frozenset({"c"}),
    interpreter="gcc",
    build=("gcc", "-std=gnu17", "-O2", "-o", ".program", "{file}", "-lm"),
    program=("./.program",),
    complaints=(
        r"(?P<source>[^\s:]+):\d+:\d+: fatal error: (?P<module>[^\s:]+): No such file or directory",
        r"\S*cc1\w*: fatal error: (?P<file>[^\s:]+): No such file or directory",
        r"\S*ld: cannot find -l(?P<module>[^\s:]+)",
    ),
    title="C",
    package=__name__,
)

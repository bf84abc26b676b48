"""Go: a program is one file of a package `main`."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="go",
    image="go",
    programs=("go", "gofmt"),
    answer_file="solution.go",
    fences=frozenset({"go", "golang"}),
    interpreter="go",
    build=("go", "build", "-o", ".program", "{file}"),
    program=("./.program",),
    # The settings that `go env -w` writes.
    home_files=(".config/go/",),
    complaints=(
        r"(?P<source>[^\s:]+):\d+:\d+: no required module provides package (?P<module>[^\s;]+)",
        r"(?P<source>[^\s:]+):\d+:\d+: package (?P<module>\S+) is not in std",
        r"no required module provides package (?P<file>[^\s;]+\.go)",
    ),
    title="Go",
    package=__name__,
)

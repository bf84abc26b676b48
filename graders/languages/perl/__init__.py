"""Perl with its whole library; the base image has only the smallest part."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="perl",
    image="perl",
    programs=(),
    answer_file="solution.pl",
    fences=frozenset({"perl", "pl"}),
    interpreter="perl",
    program=("perl", "{file}"),
    starts={".pl": ("perl",)},
    complaints=(
        r"Can't locate (?P<module>\S+) in @INC[^\n]* at (?P<source>\S+) line \d+",
        r"Can't open perl script \"(?P<file>[^\"\n]+)\": No such file",
    ),
    title="Perl",
    package=__name__,
)

"""Lua 5.4."""

from __future__ import annotations

from gradebox.graders.languages.language import Language

LANGUAGE = Language(
    name="lua",
    image="lua",
    programs=("lua", "lua5.4", "luac"),
    answer_file="solution.lua",
    fences=frozenset({"lua"}),
    interpreter="lua",
    program=("lua", "{file}"),
    starts={".lua": ("lua",)},
    complaints=(
        r"lua(?:5\.4)?: (?P<source>[^\s:]+):\d+: module '(?P<module>[^'\n]+)' not found:",
        r"lua(?:5\.4)?: cannot open (?P<file>[^\s:]+)",
    ),
    title="Lua",
    package=__name__,
)

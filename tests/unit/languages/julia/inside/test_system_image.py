"""The image of Julia compiles the very programs that the host starts."""

from __future__ import annotations

import hashlib
import re

from gradebox.graders.languages.julia import LANGUAGE
from gradebox.graders.languages.language import inside
from gradebox.graders.runners.julia_test import RUNNER
from gradebox.plugins.julia_leaderboard import answer_protocol

SCRIPT = (inside("julia") / "system_image.jl").read_text("utf-8")
LOOKED_UP = re.compile(r'Dict\{String,Any\}\(\), "([0-9a-f]{64})"')


def programs() -> dict[str, tuple[str, ...]]:
    listed = re.findall(r'^        "(\w+)" => \(("\w+\.jl"(?:,\s+"\w+\.jl")*)\),$', SCRIPT, re.MULTILINE)
    return {name: tuple(re.findall(r"\w+\.jl", files)) for name, files in listed}


def test_every_program_is_compiled_under_the_hash_by_which_it_is_looked_up() -> None:
    sources = {path.name: path for recipe in LANGUAGE.recipes() for path in recipe.programs}
    compiled = {
        hashlib.sha256("\n".join(sources[file].read_text("utf-8") for file in files).encode()).hexdigest()
        for files in programs().values()
    }
    items = (LANGUAGE.argv()[-1], LANGUAGE.argv(apart=True)[-1])
    texts = (*items, answer_protocol.runner(), answer_protocol.program(), RUNNER.sources[0].text())
    assert {found for text in texts for found in LOOKED_UP.findall(text)} == compiled
    assert len(compiled) == len(texts) == 5


def test_a_text_is_quoted_for_an_image_without_it() -> None:
    text = LANGUAGE.argv()[-1]
    quoted = text[text.index('include_string(Main, "') : text.rindex('", "gradebox")')]
    assert not re.search(r'(?<!\\)(?:\\\\)*["$]', quoted.removeprefix('include_string(Main, "'))

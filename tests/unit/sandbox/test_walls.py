"""Walls: the supervisor's bits, and the sentences of verdicts."""

from __future__ import annotations

import re

from gradebox.sandbox.supervisor_build import SOURCES
from gradebox.sandbox.walls import Wall, sentences


def test_every_wall_has_a_sentence() -> None:
    assert len(set(sentences(Wall))) == len(Wall)


def test_bits_are_those_of_the_supervisor() -> None:
    text = (SOURCES / "supervisor.h").read_text()
    bits = {name.lower(): int(value) for name, value in re.findall(r"WALL_(\w+) = (\d+)", text)}
    assert {wall.value: 1 << place for place, wall in enumerate(Wall)} == bits


def test_bits_name_walls() -> None:
    assert Wall.of(0) == ()
    assert Wall.of(1 | 16) == (Wall.FILES, Wall.LIMITS)

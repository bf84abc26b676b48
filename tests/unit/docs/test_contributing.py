"""CONTRIBUTING shows the rooms that there are, and puts each of them into a layer."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
# The part of the page about the tree, and the one about the layers: one block of code each.
TREE, LAYERS = (re.search(rf"^## {title}$.*?^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) for title in
                ("Where things are", "Layers"))  # fmt: skip


def rooms(package: str) -> set[str]:
    return {path.parent.name for path in (ROOT / package).glob("*/__init__.py")}


def shown(package: str) -> set[str]:
    assert TREE is not None
    lines = iter(TREE[1].splitlines())
    for line in lines:
        if line.startswith(f"{package}/"):
            break
    found: set[str] = set()
    for line in lines:
        if not line.startswith(" "):
            break
        if match := re.match(r"  ((?:\w+/ )+)", line):
            found |= set(match[1].replace("/", "").split())
    return found


def test_the_tree_has_every_room_of_graders() -> None:
    assert shown("graders") == rooms("graders")


def test_the_tree_has_every_room_of_the_sandbox() -> None:
    assert shown("sandbox") == rooms("sandbox") | {"supervisor"}


def test_every_room_of_graders_is_in_one_layer() -> None:
    assert LAYERS is not None
    layers = re.findall(r"\w+", LAYERS[1])
    assert len(layers) == len(set(layers))
    assert set(layers) == rooms("graders")


def test_a_command_that_the_page_shows_is_a_target_of_make() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"^make (\w+)", PAGE, re.MULTILINE)) <= targets

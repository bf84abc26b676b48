"""A Python that is to trust what it loads finds modules only where no submission could have written them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import inside
from gradebox.graders.languages.python.inside.trusted_places import is_trusted

PROGRAM = """
import importlib, sys
def found(name):
    try: return importlib.import_module(name).__file__
    except ImportError: return None
close_places()
assert sys.argv[1] not in sys.path and found("late") is None, sys.path
assert [each.__name__ for each in sys.meta_path] == ["BuiltinImporter", "FrozenImporter", "PathFinder"]
assert {*LED} == {"", sys.argv[1]}, LED
assert found("own") and found("json")
sys.path.insert(0, sys.argv[1])
assert found("late") is None
sys.path.pop(0)
open_places()
assert found("late") == f"{sys.argv[1]}/late.py" and sys.path[-1] == sys.argv[1]
assert sys.meta_path[-1].__name__ == "Finder"
"""


def test_files_of_the_image_lead_only_to_trusted_places_until_all_are_open(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "image"], check=True)
    (packages,) = (tmp_path / "image").glob("lib/python*/site-packages")
    anyones = tmp_path / "anyones"
    anyones.mkdir()
    anyones.chmod(0o777)
    (anyones / "late.py").write_text("import sys\n")
    (packages / "own.py").write_text("class Finder:\n    def find_spec(*about): return None\n")
    # The second line of the file runs after the first has changed the path.
    (packages / "a.pth").write_text(f"{anyones}\nimport sys, own; sys.meta_path.append(own.Finder)\nimport late\n")
    source = bundle(inside("python") / "trusted_places.py")
    words = [tmp_path / "image/bin/python", "-I", "-S", "-c", source + PROGRAM, anyones]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="A place of another user is needed.")
def test_a_place_is_trusted_if_nobody_else_can_write_there_or_above(tmp_path: Path) -> None:
    place = tmp_path / "above" / "place"
    place.mkdir(parents=True)
    (tmp_path / "link").symlink_to(place)
    (tmp_path / "a.zip").write_bytes(b"PK")
    assert all(map(is_trusted, [str(place), str(tmp_path / "link"), str(Path(os.__file__).parent)]))
    for name in ("", "missing", "a.zip/lib"):
        assert not is_trusted(name and str(tmp_path / name))
    os.chown(place, 10_001, 10_001)
    assert not is_trusted(str(place))
    os.chown(place, 0, 0)
    os.chown(place.parent, 10_001, 10_001)
    assert not is_trusted(str(place))
    assert not is_trusted(str(tmp_path / "link"))
    os.chown(place.parent, 0, 0)
    place.chmod(0o1777)
    assert not is_trusted(str(place))

"""TOML text -> nodes; positions are known only where the text is not TOML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.documents.positions import Document, Malformed, data
from gradebox.graders.documents.scalars import Trap, TrapKind
from gradebox.graders.documents.toml import read_toml


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('[a]\nb = "x"\nc = [1, 2.5, true]\n', {"a": {"b": "x", "c": [1, 2.5, True]}}),
        ("day = 2024-01-01", {"day": Trap(TrapKind.DATE, "2024-01-01")}),
        ("most = inf", {"most": Trap(TrapKind.NUMBER, "inf")}),
    ],
)
def test_values_are_data_and_what_json_does_not_have_is_a_trap(text: str, found: dict[str, Any]) -> None:
    assert data(read_toml(text)) == found


def test_a_place_is_the_file(tmp_path: Path) -> None:
    document = Document(tmp_path / "x.toml", read_toml("[a]\nb = 1"))
    assert str(document.place(("a", "b"), of_key=True)) == str(tmp_path / "x.toml")
    assert document.written(("a", "b")) == ("a", "b")


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("a = 1\nb = [\n", (3, 1), "this is not TOML: "),
        ("a = 1\na = 2\n", (2, 6), "cannot overwrite a value"),
        ("a = " + "[" * 102 + "]" * 102, (0, 0), "nested deeper than 100 levels"),
        ("a = " + "[" * 100_000, (1, 1), "nested too deeply"),
        ("a = " + "1" * 5000, (1, 1), "a number too long"),
    ],
)
def test_what_is_not_toml_is_refused(text: str, place: tuple[int, int], says: str) -> None:
    with pytest.raises(Malformed, match=says) as caught:
        read_toml(text)
    assert (caught.value.line, caught.value.column) == place

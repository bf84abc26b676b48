"""Stand-ins for functions show the parameters of the originals, and send no default values."""

from __future__ import annotations

import pytest

from gradebox.graders.languages.python.inside.apart.parameters import DEFAULT, signature, without_defaults


def test_a_function_keeps_its_signature() -> None:
    parameters = [["a", 1, False], ["b", 1, True], ["c", 3, True], ["rest", 4, False]]
    made = signature(parameters, None, {"a": int})
    assert [*made.parameters] == ["a", "b", "c", "rest"]
    assert made.parameters["a"].annotation is int
    bound = made.bind(1, c=5)
    bound.apply_defaults()
    assert without_defaults(parameters, bound.args, bound.kwargs) == ((1,), {"c": 5})
    assert without_defaults(parameters, (DEFAULT, 2), {"c": DEFAULT}) == ((), {"b": 2})
    with pytest.raises(AttributeError):
        signature(None)

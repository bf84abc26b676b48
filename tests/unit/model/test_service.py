"""A service is data that hashes like a case: two that differ in anything are two."""

from __future__ import annotations

from dataclasses import replace

import pytest
from service_bench import STORE

from gradebox.graders.grading.fingerprint import _stable
from gradebox.graders.model.service import Ready
from gradebox.sandbox.limits import Limits


@pytest.mark.parametrize(
    "change",
    [
        {"image": "other"},
        {"command": ("other",)},
        {"env": {"A": "b"}},
        {"ready": Ready(port=1)},
        {"reset": ("x",)},
        {"limits": Limits(pids=3)},
        {"lasts": True},
    ],
)
def test_a_service_that_differs_makes_another_case(change: dict[str, object]) -> None:
    assert _stable(replace(STORE, **change)) != _stable(STORE)  # type: ignore[arg-type]

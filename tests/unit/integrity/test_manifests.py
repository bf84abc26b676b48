"""Manifests: dependencies belong to the candidate, settings of test runners to the case."""

from __future__ import annotations

import json

import pytest

from gradebox.graders.integrity import manifests

CASE = {"name": "app", "scripts": {"test": "vitest run"}, "vitest": {"watch": False}}


def test_a_package_is_an_object_of_json_whatever_an_editor_put_before_it() -> None:
    assert manifests.package('\ufeff{"a": 1}') == {"a": 1}
    assert [manifests.package(text) for text in ("[]", "{", "// no JSON\n{}", '{"a": NaN}')] == [None] * 4


def test_scripts_and_settings_are_the_cases_and_the_rest_is_the_submissions() -> None:
    added = {
        "dependencies": {"a": "2"},
        "scripts": {"test": "true", "pretest": "evil", "mine": "x"},
        "jest": {"setupFiles": ["./evil.js"]},
        "postcss": {},
    }
    assert manifests.with_settings_of(CASE, added, ["postcss"]) == {
        "dependencies": {"a": "2"},
        "scripts": {"test": "vitest run", "mine": "x"},
        "vitest": {"watch": False},
    }


@pytest.mark.parametrize(
    ("name", "one", "other", "same"),
    [
        ("pyproject.toml", '[project]\ndependencies = ["a"]', '[project]\ndependencies = ["b"]\nversion = "2"', True),
        ("pyproject.toml", "[tool.a]\nx = 1", "[tool.a]\nx = 2", False),
        ("pyproject.toml", "x =", "x =", False),
        ("pyproject.toml", f"{'a.' * 300}b = 1", "", False),
        ("package.json", json.dumps(CASE), json.dumps({**CASE, "devDependencies": {}}), True),
        ("package.json", json.dumps(CASE), json.dumps({**CASE, "scripts": {}}), False),
        ("setup.cfg", "", "", False),
    ],
)
def test_manifests_that_differ_only_in_dependencies(name: str, one: str, other: str, *, same: bool) -> None:
    assert manifests.same_but_for_dependencies(name, one, other) == same

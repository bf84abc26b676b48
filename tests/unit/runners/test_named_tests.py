"""Which tests the command of a runner names, and which of these are not there."""

from __future__ import annotations

import pytest

from gradebox.graders.runners.named_tests import missing_tests


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("pytest tests/a.py", ["tests/a.py"]),
        ("pytest -q -x -rA tests/a.py::test_a tests/there.py", ["tests/a.py"]),
        ("python3 -m pytest -q tests/", ["tests/"]),
        ("pytest tests", ["tests"]),
        ("bun test tests/a.test.ts", ["tests/a.test.ts"]),
        ("node --test a.mjs", ["a.mjs"]),
        ("vitest run src/a.test.tsx", ["src/a.test.tsx"]),
        ("pytest -k a.py --ignore tests/b.py -p c.py", []),
        ("pytest tests/test_*.py /opt/a.py", []),
        ("bun test parser", []),
        ("python3 tests/a.py", []),
        ("make tests/a.py", []),
    ],
)
def test_what_a_runner_is_given_and_is_not_there(line: str, missing: list[str]) -> None:
    assert list(missing_tests(line.split(), {"tests/there.py"}.__contains__)) == missing

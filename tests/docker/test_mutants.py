"""Mutants in real sandboxes: a planted weakness is found and named, and a strong case has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutant_bench import noticed

from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

FEES = """def fee(amount):
    if amount < 20:
        return 0
    return amount - 20


def label(amount):
    return f"{amount} EUR"
"""
WEAK = """language: python
isolation: apart
input: Write fee and label in fees.py.
answer_file: fees.py
examples_setup: from fees import fee, label
examples:
  - assert fee(100) == 80
"""
STRONG = f"""{WEAK}  - assert [fee(n) for n in (19, 20, 21)] == [0, 0, 1]
  - assert fee(0) == fee(-5) == 0
  - assert label(3) == "3 EUR"
"""
SPIN = "def count(n):\n    done = 0\n    while done < n:\n        done += 1\n    return done\n"


@pytest.mark.timeout(600)
def test_an_untested_branch_and_a_boundary_are_found(engine: DockerEngine, tmp_path: Path) -> None:
    found = noticed(engine, tmp_path, "fees.py", WEAK, FEES)
    assert "if amount <= 20:" in {each.mutant.after for each in found.survivors}
    assert found.not_reached == {"fees.py": [3, 8]}
    assert found.by_check["examples"] == found.rate.passed > 0


@pytest.mark.timeout(600)
def test_a_strong_case_has_only_equivalent_survivors(engine: DockerEngine, tmp_path: Path) -> None:
    found = noticed(engine, tmp_path, "fees.py", STRONG, FEES)
    # At 20 both branches give 0.
    assert [each.mutant.after for each in found.survivors] == ["if amount <= 20:", "if amount < 21:"]
    assert found.not_reached == {}


@pytest.mark.timeout(600)
def test_a_mutant_that_never_ends_is_caught(engine: DockerEngine, tmp_path: Path) -> None:
    text = WEAK.replace("import fee, label", "import count").replace("fee(100) == 80", "count(3) == 3")
    found = noticed(engine, tmp_path, "fees.py", text, SPIN)
    ended = {each.mutant.after for each in found.graded if each.verdict == "failed"}
    assert {"done -= 1", "pass"} <= ended

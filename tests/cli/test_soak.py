"""A short soak: what is graded while everything around it fails is graded once and rightly, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "soak.py"


@pytest.mark.thorough
def test_nothing_is_lost_counted_twice_or_left() -> None:
    ran = subprocess.run(
        [sys.executable, PROGRAM, "--cases", "20", "--seed", "5", "--every", "1", "--quick"],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "0 violations" in ran.stdout
    for fault in ("channel cut", "container removed", "worker killed"):
        assert f"x {fault}" in ran.stdout

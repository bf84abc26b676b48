"""A run that is killed again and again comes to the same verdicts as one that nobody disturbs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "kill_and_resume.py"


def test_nothing_is_lost_and_nothing_counts_twice() -> None:
    ran = subprocess.run(
        [sys.executable, PROGRAM, "--cases", "12", "--kills", "5", "--seed", "7"],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "0 verdicts lost, 0 twice, 0 different" in ran.stdout

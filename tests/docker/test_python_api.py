"""The Python interface as README shows it: its example is run as it stands, and prints what stands below it."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gradebox import graders
from gradebox.graders import Grader, Status, load_case

ROOT = Path(__file__).parents[2]
CASE = ROOT / "cases" / "fix-null-check"


def example() -> str:
    (found,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert isinstance(found, str)
    return found


def test_the_example_of_the_readme_prints_what_it_says() -> None:
    source = example()
    promised = [line.removeprefix("# ") for line in source.splitlines() if line.startswith("# ")]
    assert promised
    assert ".grade(" in source
    assert ".grade_async(" in source
    ran = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert ran.stdout.splitlines() == promised


def test_a_case_that_was_loaded_is_graded_like_its_path() -> None:
    case = load_case(CASE)
    with Grader() as grader:
        untouched = grader.grade(case)
        by_path = grader.grade(str(CASE), CASE / "submissions" / "nothing-done")
    assert (untouched.verdict.status, untouched.submission) == (Status.FAILED, "(untouched)")
    assert untouched.verdict.score == by_path.verdict.score == 0.5


def test_the_event_loop_is_free_while_a_submission_is_graded() -> None:
    async def both() -> tuple[Status, int]:
        ticks = 0
        with Grader() as grader:
            grading = asyncio.create_task(grader.grade_async(CASE, CASE / "reference"))
            while not grading.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return (await grading).verdict.status, ticks

    # In a thread of its own: a browser of other tests may have a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        status, ticks = pool.submit(asyncio.run, both()).result()
    assert status is Status.PASSED
    assert ticks > 5


def test_every_name_that_is_offered_is_there() -> None:
    assert all(getattr(graders, name) is not None for name in graders.__all__)

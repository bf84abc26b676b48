"""What forges verdicts in the process of the tests does not, once the tests are judged apart from the submission.

Each attack of the corpus on items and tests of Python, JavaScript and TypeScript, and on items of Julia, is graded with
`isolation: apart`, and so are those that are known to succeed otherwise.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from batch import hand_in
from corpus import BASES, RUNTIME, Attack, read_corpus
from test_residual import RESIDUAL

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

NAMES = (
    "items-python", "items-shared", "pytest", "pytest-all", "pytest-apart", "pytest-hidden", "unittest",
    "items-node", "items-ts", "node-test", "bun-test", "bun-tests", "items-julia",
)  # fmt: skip


def known() -> Iterator[Attack]:
    """Yield the attacks on bases whose tests share a process with the submission."""
    yield from (attack for attack in read_corpus() if attack.base in NAMES and attack.group == "forgery")
    yield from (each.attack for each in RESIDUAL if each.attack.base in NAMES)


# One for each set of defences of each base; `make thorough` and `make hostile` grade all.
FIRST = tuple({(each.base, each.group, each.defences): each for each in reversed([*known()])}.values())

# Its attacks are those of the other items, and it starts slowly.
SLOWEST = "items-julia"


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    "attacks", [FIRST, pytest.param(tuple(known()), marks=pytest.mark.thorough)], ids=["first", "all"]
)
@pytest.mark.parametrize(
    "base", [pytest.param(name, marks=pytest.mark.thorough if name == SLOWEST else ()) for name in NAMES]
)
def test_no_attack_in_the_tests_process_passes_apart(
    base: str, attacks: tuple[Attack, ...], tmp_path: Path, runtime: str
) -> None:
    case = tmp_path / "case" / base
    shutil.copytree(BASES / base, case)
    file = case / "case.yaml"
    text = file.read_text("utf-8")
    assert text.count("\nisolation: in-process\n") == 1
    file.write_text(text.replace("\nisolation: in-process\n", "\nisolation: apart\n"), "utf-8")
    chosen = [attack for attack in attacks if attack.base == base]
    directory = tmp_path / "submissions"
    directory.mkdir()
    submissions = [read_submission(case / "reference"), *(read_submission(hand_in(each, directory)) for each in chosen)]
    assert RUNTIME in (None, runtime)
    with Grader(runtime=RUNTIME) as grader:
        reference, *results = grader.grade_many([Task(load_case(case), each) for each in submissions], jobs=2)
    assert reference.verdict.status == "passed", reference.verdict.reasons
    assert {check.judged for check in reference.verdict.checks if check.judged} == {"apart"}
    names = [each.name for each in chosen]
    passed = [name for name, result in zip(names, results, strict=True) if result.verdict.status == "passed"]
    assert passed == []
    errors = [name for name, result in zip(names, results, strict=True) if result.verdict.status == "error"]
    assert errors == []

"""What is known to succeed, because the judge shares its process, its commands or its rules with the candidate.

If one of these is held one day, its entry belongs into another table, and docs/security.md says too little of us.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import yaml
from batch import hand_in
from corpus import BASES, HERE, RUNTIME, Attack

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

SECURITY = (HERE.parents[1] / "docs/security.md").read_text("utf-8")


class Residual(NamedTuple):
    """One entry: the attack, what it gets, and what is said of it."""

    attack: Attack
    verdict: str
    limit: str
    instead: str


def read_table() -> tuple[Residual, ...]:
    table: list[dict[str, Any]] = yaml.safe_load((HERE / "residual.yaml").read_text("utf-8"))["attacks"]
    own = Residual._fields[1:]
    return tuple(
        Residual(
            Attack.model_validate(
                {k: v for k, v in entry.items() if k not in own} | {"group": "residual", "defences": []}
            ),
            *(entry[key] for key in own),
        )
        for entry in table
    )


RESIDUAL = read_table()


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, runtime: str) -> dict[str, Result]:
    directory = tmp_path_factory.mktemp("submissions")
    tasks = [
        Task(load_case(BASES / known.attack.base), read_submission(hand_in(known.attack, directory)))
        for known in RESIDUAL
    ]
    assert RUNTIME in (None, runtime)
    with Grader(runtime=RUNTIME) as grader:
        return dict(zip((known.attack.name for known in RESIDUAL), grader.grade_many(tasks, jobs=2), strict=True))


@pytest.mark.timeout(600)
@pytest.mark.parametrize("known", RESIDUAL, ids=lambda known: known.attack.name)
def test_what_is_known_to_succeed_still_does(known: Residual, graded: dict[str, Result]) -> None:
    verdict = graded[known.attack.name].verdict
    assert (verdict.status, verdict.tampering) == (known.verdict, ()), verdict.reasons


@pytest.mark.parametrize("known", RESIDUAL, ids=lambda known: known.attack.name)
def test_what_succeeds_is_named_where_limits_are(known: Residual) -> None:
    assert f"**{known.limit}**" in SECURITY


def test_every_program_is_in_the_table() -> None:
    programs = {path for path in (HERE / "residual").iterdir() if path.name != "__pycache__"}
    assert programs == {known.attack.program for known in RESIDUAL if known.attack.make is None}

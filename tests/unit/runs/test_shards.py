"""Which shard a grading belongs to, and which shard a job of a scheduler is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.errors import UsageRefused
from gradebox.graders.model.case import Case, Trials
from gradebox.graders.runs.shards import Shard, kept_together, shard_of


def words(number: int) -> tuple[str, ...]:
    return (f"case-{number % 7}", "", f"work-{number}", "1")


def test_every_grading_belongs_to_one_shard_and_shards_are_of_one_size() -> None:
    for count in (1, 3, 8):
        taken = Counter(
            number for number in range(800) for shard in range(1, count + 1) if Shard(shard, count).takes(words(number))
        )
        assert set(taken.values()) == {1}
        sizes = [
            sum(Shard(shard, count).takes(words(number)) for number in range(800)) for shard in range(1, count + 1)
        ]
        assert min(sizes) > 0.7 * 800 / count


def test_the_shard_of_a_grading_is_the_same_everywhere_and_always() -> None:
    found = [next(shard for shard in range(1, 9) if Shard(shard, 8).takes(words(number))) for number in range(12)]
    assert found == [7, 6, 7, 5, 3, 6, 8, 5, 3, 5, 5, 7]


@pytest.mark.parametrize("text", ["0/8", "9/8", "1/0", "2", "a/b", "-1/8", "1/8/2", "", "1/9999999"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageRefused, match="is not a shard"):
        shard_of(text, {})


@pytest.mark.parametrize(
    ("variables", "shard"),
    [
        ("GRADEBOX_SHARD_INDEX=0 GRADEBOX_SHARD_COUNT=3", "1/3"),
        ("JOB_COMPLETION_INDEX=2 GRADEBOX_SHARD_COUNT=3", "3/3"),
        ("SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=8", "1/8"),
        ("SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=8 SLURM_ARRAY_TASK_COUNT=8", "8/8"),
        ("SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=4", "3/4"),
        ("SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_MIN=4 SLURM_ARRAY_TASK_MAX=4 SLURM_ARRAY_TASK_COUNT=1", "1/1"),
        ("AWS_BATCH_JOB_ARRAY_INDEX=9 AWS_BATCH_JOB_ARRAY_SIZE=10", "10/10"),
        ("CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "1/4"),
        ("BUILDKITE_PARALLEL_JOB=0 BUILDKITE_PARALLEL_JOB_COUNT=4", "1/4"),
        ("CIRCLE_NODE_INDEX=3 CIRCLE_NODE_TOTAL=4", "4/4"),
        # The user's own variables win, and what schedulers agree about is taken.
        ("GRADEBOX_SHARD_INDEX=1 GRADEBOX_SHARD_COUNT=3 CI_NODE_INDEX=1 CI_NODE_TOTAL=4", "2/3"),
        ("CI_NODE_INDEX=2 CI_NODE_TOTAL=4 CIRCLE_NODE_INDEX=1 CIRCLE_NODE_TOTAL=4", "2/4"),
    ],
)
def test_the_variables_of_a_scheduler_name_the_shard(variables: str, shard: str) -> None:
    environ = dict(word.split("=") for word in variables.split())
    assert str(shard_of("auto", environ)) == shard


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ("", "no variable of a scheduler"),
        ("CI_NODE_TOTAL=1", "no variable of a scheduler"),
        ("JOB_COMPLETION_INDEX=2", "needs GRADEBOX_SHARD_COUNT, which is not set"),
        ("JOB_COMPLETION_INDEX=two GRADEBOX_SHARD_COUNT=3", "needs JOB_COMPLETION_INDEX, which is 'two'"),
        (
            "JOB_COMPLETION_INDEX=3 GRADEBOX_SHARD_COUNT=3",
            "JOB_COMPLETION_INDEX=3 and GRADEBOX_SHARD_COUNT=3 do not name a valid",
        ),
        ("CI_NODE_INDEX=0 CI_NODE_TOTAL=4", "CI_NODE_INDEX=0 and CI_NODE_TOTAL=4 do not name a valid shard"),
        ("CI_NODE_INDEX=1 CI_NODE_TOTAL=4 JOB_COMPLETION_INDEX=3 GRADEBOX_SHARD_COUNT=4", "finds more than one"),
        ("SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=7 SLURM_ARRAY_TASK_COUNT=3", "of 1-7, 3"),
    ],
)
def test_variables_that_name_none_are_refused_with_a_reason(variables: str, message: str) -> None:
    environ = dict(word.split("=") for word in variables.split())
    with pytest.raises(UsageRefused, match=message):
        shard_of("auto", environ)


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    (tmp_path / "case.yaml").write_text('image: image\nassertions: [{type: code-grader, command: ["check"]}]\n')
    (case,) = load(tmp_path).cases
    return [replace(case, id=name) for name in "abcd"]


def test_cases_that_depend_on_each_other_stay_together(cases: list[Case]) -> None:
    a, b, c, d = cases
    chain = [a, replace(b, depends_on=("a",)), replace(c, depends_on=("b", "gone")), d]
    named = kept_together(chain, by_submission=True)
    assert len({named(case, "one", 1) for case in chain[:3]}) == 1
    assert named(chain[0], "one", 1) != named(chain[0], "two", 1)
    assert named(d, "one", 1) != named(d, "one", 2) != named(chain[0], "one", 1)
    # Where submissions are each case's own, one may follow the verdict of another.
    named = kept_together(chain, by_submission=False)
    assert named(chain[0], "one", 1) == named(chain[2], "two", 2)


def test_the_tries_of_a_case_stay_together(cases: list[Case]) -> None:
    tried = replace(cases[0], trials=Trials(2))
    named = kept_together([tried], by_submission=False)
    assert named(tried, "agent", 1) == named(tried, "agent", 2)

"""Shards: divides a run into N parts that different machines can grade, and that `merge` combines again. Pure.

The shard of a grading depends only on a hash of its case, target, submission and repeat: it is the same on every
machine, and adding a submission does not move others. Gradings that need each other stay in one shard: the tries of a
case, and cases that depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import NamedTuple, Self

from gradebox.graders.errors import UsageRefused
from gradebox.graders.grading.fingerprint import key_for
from gradebox.graders.model.case import Case

AUTO = "auto"
OWN_INDEX, OWN_COUNT = "GRADEBOX_SHARD_INDEX", "GRADEBOX_SHARD_COUNT"
_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


class Shard(NamedTuple):
    """One of `of_all` parts of a run; the first has number 1."""

    number: int
    of_all: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of_all}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Read ``2/8``. Raises UsageRefused if it is something else."""
        found = _FORM.fullmatch(text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UsageRefused(f"--shard {text} is not a shard.", remedy="Write 1/8 to 8/8, or auto.")
        return cls(int(found[1]), int(found[2]))

    def takes(self, words: Iterable[str]) -> bool:
        """Return whether the gradings that these words identify belong to this shard."""
        text = "".join(f"{len(word)} {word}" for word in words)
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8]) % self.of_all == self.number - 1


class _Scheduler(NamedTuple):
    """The variables in which a scheduler gives a job its number and the count; `first` is the lowest number."""

    name: str
    number_in: str
    count_in: str
    first: int = 0


_SCHEDULERS = (
    _Scheduler("Kubernetes Indexed Job", "JOB_COMPLETION_INDEX", OWN_COUNT),
    _Scheduler("AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),
    _Scheduler("GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", first=1),
    _Scheduler("Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT"),
    _Scheduler("CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"),
)


def shard_of(text: str, environ: Mapping[str, str]) -> Shard:
    """Return the shard that ``--shard`` names; for ``auto``, read the variables of the scheduler.

    Raises UsageRefused if the text is not a shard, or the variables do not name exactly one.
    """
    if text != AUTO:
        return Shard.read(text)
    if environ.get(OWN_INDEX):
        return _numbered(environ, _Scheduler("your job", OWN_INDEX, OWN_COUNT))
    found = {one.name: _numbered(environ, one) for one in _SCHEDULERS if environ.get(one.number_in)}
    if environ.get("SLURM_ARRAY_TASK_ID"):
        found["Slurm"] = _of_slurm(environ)
    if len(set(found.values())) > 1:
        named = " and ".join(f"{name} {shard}" for name, shard in found.items())
        raise UsageRefused(f"--shard auto finds more than one: {named}.", remedy="Write --shard I/N.")
    if not found:
        raise UsageRefused(
            "--shard auto finds no variable of a scheduler.",
            remedy=f"Set {OWN_INDEX} (from 0) and {OWN_COUNT}, or write --shard I/N.",
        )
    return next(iter(found.values()))


def _numbered(environ: Mapping[str, str], scheduler: _Scheduler) -> Shard:
    number, count = _number(environ, scheduler.number_in), _number(environ, scheduler.count_in)
    where = f"{scheduler.number_in}={number} and {scheduler.count_in}={count}"
    return _checked(number - scheduler.first, count, where)


def _of_slurm(environ: Mapping[str, str]) -> Shard:
    names = ("ID", "MIN", "MAX", "COUNT")
    index, first, last, count = (_number(environ, f"SLURM_ARRAY_TASK_{name}") for name in names)
    step = max(1, (last - first) // max(1, count - 1))
    # A list such as 1,3,4 has gaps of different sizes, so the place of an index in it is unknown.
    uneven = first + step * (count - 1) != last or (index - first) % step
    where = f"SLURM_ARRAY_TASK_ID={index} of {first}-{last}, {count} in all,"
    return _checked(-1 if uneven else (index - first) // step, count, where)


def _checked(place: int, count: int, where: str) -> Shard:
    if not 0 <= place < count:
        raise UsageRefused(f"{where} do not name a valid shard.", remedy="Write --shard I/N.")
    return Shard(place + 1, count)


def _number(environ: Mapping[str, str], name: str) -> int:
    text = environ.get(name, "")
    if not re.fullmatch("[0-9]{1,9}", text):
        raise UsageRefused(
            f"--shard auto needs {name}, which is {f'{text!r}' if text else 'not set'}.", remedy="Write --shard I/N."
        )
    return int(text)


def kept_together(cases: Iterable[Case], *, by_submission: bool) -> Callable[[Case, str, int], tuple[str, ...]]:
    """Return a function from case, submission name and repeat to words that gradings which stay together share.

    `by_submission`: every case is graded with the same submissions. Otherwise a case may depend on the verdict of
    another submission.
    """
    cases = tuple(cases)
    first: dict[str, str] = {case.id: case.id for case in cases}

    def root(name: str) -> str:
        while first[name] != name:
            first[name] = name = first[first[name]]
        return name

    for case in cases:
        for needed in first.keys() & set(case.depends_on):
            low, high = sorted((root(case.id), root(needed)))
            first[high] = low
    linked = {name for case in cases for name in (case.id, *case.depends_on) if case.depends_on}

    def words(case: Case, submission: str, repeat: int) -> tuple[str, ...]:
        if case.id in linked:
            return ("linked", root(case.id), submission if by_submission else "")
        key = key_for(case.id, case.target, submission, repeat)
        return (key.case, key.target or "", key.submission, "" if case.trials else str(key.repeat))

    return words

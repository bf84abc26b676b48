"""A sample of mutants, spread over files and functions. The same seed gives the same sample."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from gradebox.graders.authoring.mutants.mutation import Mutant


def sample(mutants: Iterable[Mutant], count: int, seed: int) -> tuple[Mutant, ...]:
    """Return `count` mutants, or all if there are fewer, in their order.

    They are drawn from each function in turn, so that a long function does not crowd out the others.
    """
    found = tuple(mutants)
    chance = Random(seed)  # noqa: S311 - a sample is no secret
    groups: dict[tuple[str, str], list[int]] = {}
    for number, mutant in enumerate(found):
        groups.setdefault((mutant.path, mutant.function), []).append(number)
    waiting = list(groups.values())
    for group in waiting:
        chance.shuffle(group)
    chance.shuffle(waiting)
    chosen: list[int] = []
    while waiting and len(chosen) < count:
        chosen += [group.pop() for group in waiting[: count - len(chosen)]]
        waiting = [group for group in waiting if group]
    return tuple(found[number] for number in sorted(chosen))

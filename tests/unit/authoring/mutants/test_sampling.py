"""A sample is spread over functions, and its seed decides it."""

from __future__ import annotations

from collections import Counter

from gradebox.graders.authoring.mutants.mutation import Mutant
from gradebox.graders.authoring.mutants.sampling import sample


def mutant(path: str, function: str, line: int) -> Mutant:
    return Mutant(path, line, function, "constant", "a", "b", f"{path}{line}")


MANY = [mutant("a.py", "long", n) for n in range(90)] + [mutant("b.py", f"short{n}", n) for n in range(5)]


def test_functions_take_turns() -> None:
    counts = Counter(each.function for each in sample(MANY, 12, 0))
    assert counts == {"long": 7, **{f"short{n}": 1 for n in range(5)}}


def test_a_seed_gives_one_sample_and_another_seed_another() -> None:
    assert sample(MANY, 20, 3) == sample(MANY, 20, 3)
    assert sample(MANY, 20, 3) != sample(MANY, 20, 4)


def test_a_sample_keeps_the_order_and_is_never_larger_than_what_there_is() -> None:
    assert sample(MANY, 1000, 1) == tuple(MANY)
    assert len(sample(MANY, 3, 1)) == 3

"""Which users a sandbox has."""

from __future__ import annotations

import random

from fake_engine import FakeEnd, FakeEngine, FakeRun

from gradebox.sandbox import users
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec

SPEC = SandboxSpec("image")


def test_every_range_comes_once_and_all_fit_into_a_user_namespace() -> None:
    found = list(users.ranges(random.Random(1)))
    numbers = [first + number for first in found for number in range(users.USERS)]
    assert sorted(numbers) == list(range(users.FIRST_UID, users.FIRST_UID + users.UID_COUNT))
    assert max(numbers) < 65_534


def test_a_grader_is_none_of_the_candidate_s_users_and_all_are_in_the_range() -> None:
    for grader in range(2 * users.USERS):
        first = users.first_candidate(grader)
        assert grader % users.USERS not in range(first, first + users.CANDIDATES)
        assert first + users.CANDIDATES <= users.USERS


def test_it_does_not_always_begin_with_the_same() -> None:
    assert len({next(users.ranges(random.Random(seed))) for seed in range(20)}) > 5


def test_no_two_sandboxes_of_an_engine_share_a_user() -> None:
    engine = FakeEngine()
    sandboxes = [Sandbox(engine, SPEC) for _ in range(users.UID_COUNT // users.USERS)]
    for sandbox in sandboxes:
        sandbox.__enter__()
    numbers = [sandbox.uid(user) for sandbox in sandboxes for user in range(users.USERS)]
    assert len(set(numbers)) == users.UID_COUNT
    # One more than there are ranges works all the same, and what is closed is free again.
    with Sandbox(engine, SPEC) as last:
        assert last.uid(0) in numbers
    sandboxes[7].close()
    with Sandbox(engine, SPEC) as next_one:
        assert next_one.uid(0) == sandboxes[7].uid(0)
    for sandbox in sandboxes:
        sandbox.close()
    assert engine.open_containers == ()


def test_a_user_is_the_same_number_in_one_sandbox() -> None:
    seen: list[int] = []

    def script(run: FakeRun) -> FakeEnd:
        seen.append(run.uid)
        return FakeEnd()

    with Sandbox(FakeEngine(script), SPEC) as sandbox:
        for user in (1, 2, 1):
            sandbox.run(Command(("x",), uid=sandbox.uid(user)))
    assert seen[0] == seen[2] == seen[1] - 1

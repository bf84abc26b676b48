"""Every defence bites: an attack that fails succeeds as soon as that one defence is switched off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from defence_attacks import ATTACKS
from defence_room import Room, check

from graders.result import document
from sandbox.defences import Defence, is_on, off, switched_off


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room(tmp_path_factory.mktemp("room"))
    yield room
    room.close()


def test_every_defence_has_an_attack() -> None:
    assert set(ATTACKS) == set(Defence)


@pytest.mark.parametrize("defence", ATTACKS)
def test_it_is_this_defence_that_holds_the_attack(defence: Defence, room: Room) -> None:
    attack = ATTACKS[defence]
    with switched_off(*attack.behind):
        assert not attack.succeeds(room), "with it the attack fails"
        with switched_off(defence):
            assert attack.succeeds(room), "without it the attack succeeds"


def test_a_verdict_says_what_was_switched_off(room: Room) -> None:
    with switched_off(Defence.RESET, Defence.NETWORK):
        assert document(room.grade(check("it", "true"))).defences_off == ["network", "reset"]
    assert document(room.grade(check("it", "true"))).defences_off == []


def test_the_switch_goes_back_whatever_happens() -> None:
    def broken() -> None:
        with switched_off(Defence.SCRUB), switched_off(Defence.RESET):
            assert off() == (Defence.RESET, Defence.SCRUB)
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        broken()
    assert off() == ()
    assert all(map(is_on, Defence))

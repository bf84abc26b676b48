"""When images of a run with a limit of disk are obtained, wait for room, and are removed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from fake_engine import FakeEngine
from fake_images import FakeImages

from gradebox.graders import load_case
from gradebox.graders.grading.case_images.case_images import CaseImages
from gradebox.graders.grading.case_images.image_room import ImageRoom
from gradebox.graders.model.case import Case
from gradebox.sandbox.errors import ImageUnavailable

Write = Callable[[Mapping[str, str | bytes]], Path]

# Of each image here, by FakeImages.
SIZE = 1000
CHECK = 'assertions: [{type: code-grader, command: "true"}]\n'


def never() -> bool:
    return False


def named(tree: Write, *images: str) -> list[Case]:
    place = tree({f"{number}/case.yaml": f"input: x\nimage: {name}\n{CHECK}" for number, name in enumerate(images)})
    return [load_case(place / str(number)) for number in range(len(images))]


def built(tree: Write, *dockerfiles: str) -> list[Case]:
    text = f"input: x\nimage: {{dockerfile: environment/Dockerfile}}\n{CHECK}"
    for number, dockerfile in enumerate(dockerfiles):
        place = tree({f"{number}/case.yaml": text, f"{number}/environment/Dockerfile": dockerfile})
    return [load_case(place / str(number)) for number in range(len(dockerfiles))]


class Bench:
    """A room with the images of an engine, and a registry that has all that is asked for."""

    def __init__(self, cases: list[Case], most: int, *registry: str) -> None:
        self.stored = FakeImages(registry=set(registry))
        self.room = ImageRoom(most, cases)
        self.images = CaseImages(FakeEngine(images=self.stored), room=self.room)

    @property
    def names(self) -> set[str]:
        # A build of these adds what it stands on.
        names = {tag.partition(":")[0] for image in self.stored.images.values() for tag in image.tags}
        return names - {"scratch"}

    def grade(self, case: Case) -> set[str]:
        """Return the names of the images that are there while a case is graded."""
        with self.room.held(case):
            self.images.image_of(case)
            return self.names


def test_an_image_is_there_until_its_last_grading(tree: Write) -> None:
    one, two = named(tree, "one:1", "two:1")
    bench = Bench([one, one, two], 10 * SIZE, "one:1", "two:1")
    assert [bench.grade(case) for case in (one, one, two)] == [{"one"}, {"one"}, {"two"}]
    assert bench.names == set()
    assert bench.stored.pulled == ["one:1", "two:1"]
    assert (bench.room.count, bench.room.peak_bytes) == (2, SIZE)


def test_what_the_engine_had_before_stays_and_needs_no_room(tree: Write) -> None:
    cases = named(tree, "mine:1", "gradebox/python")
    bench = Bench(cases, 1)
    bench.stored.add("mine:1")
    bench.stored.add("gradebox/python:latest")
    for case in cases:
        bench.grade(case)
    assert bench.names == {"mine", "gradebox/python"}
    assert bench.room.count == 0


def test_an_image_below_stays_until_the_last_one_that_is_built_on_it(tree: Write) -> None:
    first, second, other = built(tree, "FROM below:1\n", "FROM below:1\nRUN x\n", "FROM else:1\n")
    bench = Bench([first, second, other], 10 * SIZE, "below:1", "else:1")
    assert bench.grade(first) == {"below", "gradebox-case"}
    assert bench.names == {"below"}
    assert bench.grade(second) == {"below", "gradebox-case"}
    assert bench.names == set()
    assert bench.grade(other) == {"else", "gradebox-case"}
    assert bench.stored.pulled == ["below:1", "else:1"]
    assert bench.names == set()


def test_images_that_are_made_of_the_same_are_one(tree: Write) -> None:
    cases = built(tree, "FROM below:1\n", "FROM other:1\n", "FROM below:1\n")
    bench = Bench(cases, 10 * SIZE, "below:1", "other:1")
    first, other, last = map(bench.room.key_of, cases)
    assert first == last != other
    for case in cases:
        bench.grade(case)
    assert len(bench.stored.built) == 2
    assert bench.names == set()


def test_one_waits_until_there_is_room(tree: Write) -> None:
    one, two = named(tree, "one:1", "two:1")
    bench = Bench([one, two], SIZE * 3 // 2, "one:1", "two:1")
    found: list[set[str]] = []
    begun = threading.Event()

    def grade_two() -> None:
        begun.set()
        found.append(bench.grade(two))

    with bench.room.held(one):
        bench.images.image_of(one)
        other = threading.Thread(target=grade_two)
        other.start()
        assert begun.wait(10)
        other.join(0.3)
        assert bench.names == {"one"}, "it was obtained without room"
    other.join(10)
    assert found == [{"two"}]
    assert bench.room.peak_bytes == SIZE


def test_the_first_is_obtained_alone_since_nobody_knows_the_sizes(tree: Write) -> None:
    one, two = named(tree, "one:1", "two:1")
    room = ImageRoom(10 * SIZE, [one, two])
    second = threading.Thread(target=room.admit, args=("two:1", never))
    with room.held(one), room.held(two):
        room.admit("one:1", never)
        second.start()
        second.join(0.3)
        assert second.is_alive()
        room.obtained("one:1", "one:1", SIZE, is_new=True)
        room.made("one:1")
        second.join(10)
        assert not second.is_alive()


def test_gradings_that_all_wait_do_not_wait_for_ever(tree: Write) -> None:
    one, two, three, four = named(tree, "one:1", "two:1", "three:1", "four:1")
    bench = Bench([one, two], SIZE, "one:1", "two:1", "three:1", "four:1")

    def grade(case: Case, service: Case) -> None:
        with bench.room.held(case):
            bench.images.image_of(case)
            bench.images.image_of(service)

    waiting = [threading.Thread(target=grade, args=pair) for pair in ((one, three), (two, four))]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join(20)
    assert not any(thread.is_alive() for thread in waiting)
    assert bench.room.count == 4
    assert bench.names == set()


def test_what_none_uses_now_makes_room_and_is_obtained_again(tree: Write) -> None:
    one, two = named(tree, "one:1", "two:1")
    bench = Bench([one, two, one], SIZE, "one:1", "two:1")
    assert [bench.grade(case) for case in (one, two, one)] == [{"one"}, {"two"}, {"one"}]
    assert bench.stored.pulled == ["one:1", "two:1", "one:1"]
    assert bench.names == set()


def test_what_is_still_used_is_removed_later_or_named_at_the_end(tree: Write) -> None:
    one, two = named(tree, "one:1", "two:1")
    bench = Bench([one, two], 10 * SIZE, "one:1", "two:1")
    remove, used = bench.room.remove, {"one:1", "two:1"}

    def refuse(name: str) -> object:
        if name in used:
            raise ImageUnavailable(f"{name} cannot be removed")
        return remove(name)

    bench.room.remove = refuse
    bench.grade(one)
    assert bench.names == {"one"}
    used.discard("one:1")
    assert bench.grade(two) == {"one", "two"}
    assert bench.names == {"two"}

    waits: list[float] = []
    assert bench.room.close(waits.append) == ("two:1",)
    assert len(waits) > 1
    used.clear()
    assert bench.room.close(waits.append) == ()
    assert bench.names == set()


def test_an_image_that_cannot_be_obtained_takes_no_room(tree: Write) -> None:
    gone, one, two = named(tree, "gone:1", "one:1", "two:1")
    bench = Bench([gone, one, two], 2 * SIZE, "one:1", "two:1")
    with bench.room.held(gone):
        with pytest.raises(ImageUnavailable, match="gone:1 cannot be pulled"):
            bench.images.image_of(gone)
        with bench.room.held(one), bench.room.held(two):
            bench.images.image_of(one)
            bench.images.image_of(two)
            assert bench.names == {"one", "two"}

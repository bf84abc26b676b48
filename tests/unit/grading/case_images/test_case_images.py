"""Which images of cases are built, when, and how many at a time."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fake_engine import FakeEngine
from fake_images import FakeImages

from gradebox.graders import load_case
from gradebox.graders.errors import CaseRefused
from gradebox.graders.grading.case_images.case_images import CaseImages
from gradebox.graders.model.case import Case
from gradebox.graders.model.events import Event, ImageBuilt, ImageProgress
from gradebox.sandbox.engines.engine import Images
from gradebox.sandbox.engines.here.no_images import NoImages
from gradebox.sandbox.errors import ImageUnavailable, SandboxLost
from gradebox.sandbox.images import build, recipes
from gradebox.sandbox.images.pulling import Pull

Write = Callable[[Mapping[str, str | bytes]], Path]


class Counting(FakeImages):
    """Images whose builds wait for each other as long as a test says, and count how many run."""

    def __init__(self, together: int = 1, **more: Any) -> None:
        super().__init__(**more)
        self.barrier = threading.Barrier(together)
        self.running = self.most = 0
        self.lock = threading.Lock()

    def build(self, *arguments: Any, **more: Any) -> str:
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        self.barrier.wait(10)
        try:
            return super().build(*arguments, **more)
        finally:
            with self.lock:
                self.running -= 1


def engine_with(images: Images) -> FakeEngine:
    return FakeEngine(images=images)


def case_at(tree: Write, name: str, dockerfile: str = "FROM below:1\n") -> Case:
    text = 'input: x\nimage: {dockerfile: Dockerfile}\nassertions: [{type: code-grader, command: "true"}]\n'
    return load_case(tree({f"{name}/case.yaml": text, f"{name}/Dockerfile": dockerfile}) / name)


def test_an_image_is_built_once_and_the_second_run_builds_nothing(tree: Write) -> None:
    images, events = FakeImages(registry={"below:1"}), list[Event]()
    case = case_at(tree, "a")
    first = CaseImages(engine_with(images), events.append)

    assert first.image_of(case) == first.image_of(case) == CaseImages(engine_with(images)).image_of(case)
    assert len(images.built) == 1
    assert images.pulled == ["below:1"]
    assert [type(event) for event in events if event != ImageProgress("a", "Step 1/1 : FROM")][-1] is ImageBuilt


def test_a_change_of_a_file_or_of_the_image_below_is_another_image(tree: Write) -> None:
    images = FakeImages(registry={"below:1"})
    case = case_at(tree, "a")
    names = {CaseImages(engine_with(images)).image_of(case)}
    (case.directory / "data.txt").write_text("x")
    names.add(CaseImages(engine_with(images)).image_of(case))
    images.add("below:1")
    names.add(CaseImages(engine_with(images)).image_of(case))

    assert len(names) == len(images.built) == 3


def test_a_named_image_is_left_alone(tree: Write) -> None:
    images = FakeImages()
    text = 'input: x\nimage: mine:1\nassertions: [{type: code-grader, command: "true"}]\n'

    assert CaseImages(engine_with(images)).image_of(load_case(tree({"case.yaml": text}))) == "mine:1"
    assert not images.built


def test_so_many_are_built_at_a_time(tree: Write) -> None:
    images = Counting(2, registry={"below:1"})
    cases = [case_at(tree, name, f"FROM below:1\nLABEL a={name}\n") for name in ("a", "b", "c", "d")]

    CaseImages(engine_with(images), parallel=2).make_all(cases)

    assert (len(images.built), images.most) == (4, 2)


def test_what_failed_is_not_tried_again(tree: Write) -> None:
    images = FakeImages(registry={"below:1"}, failing="gradebox-case")
    case, made = case_at(tree, "a"), CaseImages(engine_with(images))
    made.make_all([case])

    for _ in range(2):
        with pytest.raises(ImageUnavailable, match=r"The image of .*case\.yaml cannot be built"):
            made.image_of(case)
    assert len(images.built) == 1


def test_an_image_below_that_nobody_has_is_named(tree: Write) -> None:
    with pytest.raises(ImageUnavailable, match="The image below:1 cannot be pulled: manifest unknown"):
        CaseImages(engine_with(FakeImages())).image_of(case_at(tree, "a"))


def test_what_needs_buildkit_is_refused_with_its_line(tree: Write) -> None:
    images = FakeImages(registry={"below:1"})
    case = case_at(tree, "a", "FROM below:1\nRUN --mount=type=cache,target=/x y\n")

    with pytest.raises(CaseRefused, match=r"Dockerfile:2: the engine's classic builder lacks BuildKit.*`RUN --mount`"):
        CaseImages(engine_with(images)).image_of(case)
    assert not images.built


def test_here_refuses_by_name(tree: Write) -> None:
    with pytest.raises(ImageUnavailable, match=r"The case a has an image of its own .* but here:// has no images"):
        CaseImages(engine_with(NoImages())).image_of(case_at(tree, "a"))


def test_a_run_that_stops_waits_for_no_build(tree: Write) -> None:
    images = Counting(2, registry={"below:1"})
    stopping = threading.Event()
    made = CaseImages(engine_with(images), stopping=stopping.is_set)
    threading.Timer(0.3, stopping.set).start()

    with pytest.raises(SandboxLost):
        made.image_of(case_at(tree, "a"))
    images.barrier.abort()


def test_all_images_of_cases_are_had_each_once_and_failures_are_told(tree: Write) -> None:
    images = FakeImages(registry={"below:1", "there:1"})
    named = 'input: x\nimage: {}\nassertions: [{{type: code-grader, command: "true"}}]\n'
    files = {f"{name.partition(':')[0]}/case.yaml": named.format(name) for name in ("there:1", "gone:1")}
    place = tree(files)
    cases = [load_case(place / "there"), load_case(place / "gone"), case_at(tree, "a"), load_case(place / "there")]

    first, second, third = CaseImages(engine_with(images)).obtain_all(cases)

    assert (first.reference, second.reference, third.reference[:14]) == ("there:1", "", "gradebox-case:")
    assert "gone:1 cannot be pulled: manifest unknown" in str(second.error)
    assert sorted(images.pulled) == ["below:1", "gone:1", "there:1"]


def test_always_pulls_again_and_never_pulls_nothing(tree: Write) -> None:
    images = FakeImages(registry={"there:1"})
    case = load_case(tree({"case.yaml": 'image: there:1\nassertions: [{type: code-grader, command: "true"}]\n'}))
    (refused,) = CaseImages(engine_with(images), policy=Pull.NEVER).obtain_all([case])
    assert (refused.reference, images.pulled) == ("", [])

    for _ in range(2):
        list(CaseImages(engine_with(images), policy=Pull.ALWAYS).obtain_all([case]))

    assert images.pulled == ["there:1", "there:1"]


def test_an_image_of_ours_is_built(tree: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Another process may hold our recipes.
    copied = Path(shutil.copytree(recipes.find_images_directory(), tmp_path / "images"))
    monkeypatch.setattr(build, "find_images_directory", lambda: copied)
    images = FakeImages(registry={"debian:bookworm-slim"})
    case = load_case(tree({"case.yaml": 'input: x\nassertions: [{type: code-grader, command: "true"}]\n'}))

    (had,) = CaseImages(engine_with(images)).obtain_all([case])

    assert had.reference == recipes.reference("base")
    assert [one.references[0] for one in images.built] == [had.reference]


def test_images_of_services_are_built_and_had_with_those_of_cases(tree: Write) -> None:
    text = (
        "input: x\nimage: below:1\nservices: {db: {image: {dockerfile: Dockerfile}, command: [db], "
        'ready: {port: 1}}}\nassertions: [{type: code-grader, command: "true"}]\n'
    )
    case = load_case(tree({"a/case.yaml": text, "a/Dockerfile": "FROM below:1\n"}) / "a")
    images = FakeImages(registry={"below:1"})
    CaseImages(engine_with(images)).make_all([case])
    assert len(images.built) == 1
    found = list(CaseImages(engine_with(images)).obtain_all([case]))
    assert [one.image for one in found] == ["below:1", str(case.services[0].image)]
    assert all(one.reference for one in found)

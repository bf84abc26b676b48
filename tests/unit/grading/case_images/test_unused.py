"""Which images of cases nobody needs any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from fake_engine import FakeEngine
from fake_images import FakeImages

from gradebox.graders.cases import load
from gradebox.graders.grading.case_images.case_images import CaseImages
from gradebox.graders.grading.case_images.unused import unused
from gradebox.sandbox.images.described_image import LABEL_MACHINE, LABEL_SOURCE

Write = Callable[[Mapping[str, str | bytes]], Path]

TEXT = 'input: x\nimage: {dockerfile: Dockerfile}\nassertions: [{type: code-grader, command: "true"}]\n'


def found(images: FakeImages) -> list[str]:
    return list(unused(images, CaseImages(FakeEngine(images=images)), lambda file: load(file).cases))


def made(tree: Write, images: FakeImages) -> tuple[Path, str]:
    images.add("below:1")
    place = tree({"a/case.yaml": TEXT, "a/Dockerfile": "FROM below:1\n"}) / "a"
    return place, CaseImages(FakeEngine(images=images)).image_of(load(place).cases[0])


def test_an_image_that_its_case_needs_stays(tree: Write) -> None:
    images = FakeImages()
    made(tree, images)

    assert found(images) == []


def test_an_older_image_of_a_case_goes(tree: Write) -> None:
    images = FakeImages()
    place, older = made(tree, images)
    (place / "Dockerfile").write_text("FROM below:1\nRUN true\n")
    CaseImages(FakeEngine(images=images)).image_of(load(place).cases[0])

    assert found(images) == [older]


def test_the_image_of_a_case_that_is_gone_goes(tree: Write) -> None:
    images = FakeImages()
    place, name = made(tree, images)
    (place / "case.yaml").unlink()

    assert found(images) == [name]


def test_what_cannot_be_decided_stays(tree: Write) -> None:
    images = FakeImages()
    place, _ = made(tree, images)
    images.add("gradebox-case:other", labels={LABEL_SOURCE: "/nowhere", LABEL_MACHINE: "another machine"})
    (place / "case.yaml").write_text("input: [")

    assert found(images) == []


def test_an_image_that_a_service_needs_stays(tree: Write) -> None:
    images = FakeImages()
    images.add("below:1")
    text = (
        "input: x\nimage: below:1\nservices: {db: {image: {dockerfile: Dockerfile}, command: [db], "
        'ready: {port: 1}}}\nassertions: [{type: code-grader, command: "true"}]\n'
    )
    place = tree({"a/case.yaml": text, "a/Dockerfile": "FROM below:1\n"}) / "a"
    CaseImages(FakeEngine(images=images)).make_all(load(place).cases)

    assert found(images) == []

    (place / "Dockerfile").write_text("FROM below:1\nRUN true\n")
    assert len(found(images)) == 1

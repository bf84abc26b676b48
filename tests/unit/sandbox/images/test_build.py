"""Building, listing and removing images, on an engine in memory."""

from __future__ import annotations

import fcntl
import os
import shutil
import threading
from pathlib import Path

import pytest
from copied_images import copied_images
from fake_images import FakeImages

from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import build as images
from gradebox.sandbox.images import recipes
from gradebox.sandbox.images.build import BuildEvent, BuildStep
from gradebox.sandbox.images.recipes import ImageState

IMAGES = image_catalogue()
DEBIAN = "debian:bookworm-slim"


@pytest.fixture
def engine() -> FakeImages:
    return FakeImages(registry={DEBIAN, "debian:trixie-slim", "julia:1.10-bookworm"})


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the recipes that a test may change, in place of ours, which another process may hold."""
    copied = Path(shutil.copytree(recipes.find_images_directory(), tmp_path / "images"))
    monkeypatch.setattr(images, "find_images_directory", lambda: copied)
    return copied


def built(engine: FakeImages) -> list[str]:
    return [call.references[0].partition(":")[0].removeprefix("gradebox/") for call in engine.built]


def test_what_an_image_stands_on_is_built_before_it(engine: FakeImages) -> None:
    result = images.build(["python"], engine, IMAGES)

    assert built(engine) == ["base", "python"]
    assert engine.built[0].arguments["BASE"] == DEBIAN
    assert [entry.name for entry in result] == ["python"]
    assert not result[0].reused


def test_an_image_goes_by_its_version_and_by_latest(engine: FakeImages) -> None:
    entry = images.build(["base"], engine, IMAGES)[0]

    assert engine.images[entry.image_id].tags == (recipes.reference("base"), "gradebox/base:latest")


def test_no_names_means_all_but_those_on_demand(engine: FakeImages) -> None:
    assert [entry.name for entry in images.build([], engine, IMAGES)] == ["base", "node", "julia", "python", "bun"]
    assert built(engine) == ["base", "node", "julia-base", "julia", "python", "bun"]


def test_an_image_on_demand_is_built_by_its_name_and_is_never_missing(engine: FakeImages) -> None:
    states = {row.name: row.state for row in images.list_built(engine, IMAGES)}
    assert (states["gcc"], states["bun"]) == (ImageState.OPTIONAL, ImageState.MISSING)
    images.build(["gcc"], engine, IMAGES)
    assert built(engine) == ["trixie", "gcc"]
    assert {row.name: row.state for row in images.list_built(engine, IMAGES)}["gcc"] is ImageState.CURRENT


def test_a_second_time_builds_nothing(engine: FakeImages) -> None:
    first = images.build([], engine, IMAGES)
    engine.built.clear()
    second = images.build([], engine, IMAGES)

    assert engine.built == []
    assert [entry.image_id for entry in second] == [entry.image_id for entry in first]
    assert all(entry.reused for entry in second)


def test_force_builds_anew_without_the_cache(engine: FakeImages) -> None:
    images.build(["bun"], engine, IMAGES)
    engine.built.clear()
    images.build(["bun"], engine, IMAGES, force=True)

    assert built(engine) == ["base", "bun"]
    assert all(call.fresh for call in engine.built)
    assert engine.pulled == [DEBIAN, DEBIAN]


def test_a_changed_recipe_makes_its_image_stale(engine: FakeImages, tmp_path: Path) -> None:
    copied = copied_images(tmp_path)
    images.build(["python", "node"], engine, copied)
    engine.built.clear()
    with (tmp_path / "node" / "Dockerfile").open("a") as recipe:
        recipe.write("# changed\n")

    states = {row.name: row.state for row in images.list_built(engine, copied)}
    assert {name: states[name] for name in copied.usual} == {
        "base": ImageState.CURRENT,
        "python": ImageState.CURRENT,
        "node": ImageState.STALE,
        "bun": ImageState.MISSING,
        "julia": ImageState.MISSING,
    }
    images.build(["python", "node"], engine, copied)
    assert built(engine) == ["node"]


def test_an_image_built_by_hand_is_stale(engine: FakeImages) -> None:
    engine.add(recipes.reference("base"), "gradebox/base:latest")

    assert images.list_built(engine, IMAGES)[0].state is ImageState.STALE


def test_a_latest_that_is_something_else_is_put_right(engine: FakeImages) -> None:
    """If a case names `gradebox/node` without a tag, then it gets the same image as this version's default."""
    images.build(["node"], engine, IMAGES)
    engine.add("gradebox/node:latest")
    entry = images.build(["node"], engine, IMAGES)[0]

    latest = engine.find("gradebox/node:latest")
    assert latest is not None
    assert latest.id == entry.image_id


def test_a_list_tells_id_and_size(engine: FakeImages) -> None:
    entry = images.build(["base"], engine, IMAGES)[0]
    rows = {row.name: row for row in images.list_built(engine, IMAGES)}

    assert (rows["base"].image_id, rows["base"].size_bytes, rows["base"].created) == (entry.image_id, 1000, 1.0)
    assert (rows["bun"].image_id, rows["bun"].state) == ("", ImageState.MISSING)


def test_events_tell_the_story_in_order(engine: FakeImages) -> None:
    events: list[BuildEvent] = []
    images.build(["base"], engine, IMAGES, events.append)
    images.build(["base"], engine, IMAGES, events.append)

    assert [event.step for event in events if event.step is not BuildStep.OUTPUT] == [
        BuildStep.STARTED,
        BuildStep.BUILT,
        BuildStep.REUSED,
    ]
    assert BuildEvent("base", BuildStep.OUTPUT, "Step 1/1 : FROM") in events


def test_a_failed_build_shows_the_last_lines_and_a_remedy(engine: FakeImages) -> None:
    engine.failing = "gradebox/bun"

    with pytest.raises(ImageUnavailable) as raised:
        images.build(["bun"], engine, IMAGES)

    assert "gradebox/bun cannot be built: The command returned a non-zero code: 100" in raised.value.message
    assert "Step 1/1 : FROM" in raised.value.message
    assert "network" in raised.value.remedy


def test_an_unknown_name_builds_nothing(engine: FakeImages) -> None:
    with pytest.raises(ImageUnavailable, match="'cobol'"):
        images.build(["base", "cobol"], engine, IMAGES)

    assert engine.built == []


def test_processes_that_build_wait_for_each_other(engine: FakeImages, directory: Path) -> None:
    """If another process holds the recipes, then this one says so, waits, and takes what the other built."""
    waiting = threading.Event()
    events: list[BuildEvent] = []

    def on_event(event: BuildEvent) -> None:
        events.append(event)
        if event.step is BuildStep.WAITING:
            waiting.set()

    descriptor = os.open(directory, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    thread = threading.Thread(target=images.build, args=(["base"], engine, IMAGES, on_event))
    thread.start()
    try:
        assert waiting.wait(10)
        assert engine.built == []
        labels = IMAGES.labels("base", directory)
        engine.add(*recipes.tags("base"), labels=labels)
    finally:
        os.close(descriptor)
        thread.join(10)

    assert not thread.is_alive()
    assert engine.built == []
    assert events[-1] == BuildEvent("base", BuildStep.REUSED)


def test_what_is_current_is_used_while_another_process_builds(engine: FakeImages, directory: Path) -> None:
    images.build(["base"], engine, IMAGES)
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        assert images.build(["base"], engine, IMAGES)[0].reused
    finally:
        os.close(descriptor)


def test_remove_takes_every_version_of_the_named_images(engine: FakeImages) -> None:
    images.build(["python", "node"], engine, IMAGES)
    engine.add("gradebox/python:0.0.1", labels={recipes.LABEL_IMAGE: "python"})
    removed = images.remove(["python"], engine, IMAGES)

    assert set(removed) == {recipes.reference("python"), "gradebox/python:latest", "gradebox/python:0.0.1"}
    assert engine.find("gradebox/node:latest") is not None


def test_remove_leaves_what_others_made_on_top_of_ours(engine: FakeImages) -> None:
    """An image that stands on ours inherits its labels; only its name tells that it is not ours."""
    images.build(["python"], engine, IMAGES)
    mine = engine.find("gradebox/python:latest")
    assert mine is not None
    engine.add("school/homework:1", "localhost:5000/gradebox/python:1", labels=mine.labels)
    images.remove([], engine, IMAGES)

    assert engine.find("school/homework:1") is not None
    assert engine.find("localhost:5000/gradebox/python:1") is not None


def test_remove_without_names_leaves_nothing_of_ours(engine: FakeImages) -> None:
    images.build([], engine, IMAGES)
    engine.add("gradebox/debian:bookworm", labels={recipes.LABEL_ROOT: "bookworm"})
    engine.add(labels={recipes.LABEL_STAGE: "bun"})
    images.remove([], engine, IMAGES)

    assert {tag for image in engine.images.values() for tag in image.tags} == {DEBIAN, "julia:1.10-bookworm"}
    assert engine.labelled(recipes.LABEL_STAGE) == ()


def test_remove_takes_an_image_before_what_it_stands_on(engine: FakeImages) -> None:
    images.build(["python", "julia"], engine, IMAGES)
    order = [tag.partition(":")[0] for tag in images.remove([], engine, IMAGES)]

    assert order.index("gradebox/python") < order.index("gradebox/base")
    assert order.index("gradebox/julia") < order.index("gradebox/julia-base")


def test_remove_of_an_unknown_name_removes_nothing(engine: FakeImages) -> None:
    images.build(["base"], engine, IMAGES)

    with pytest.raises(ImageUnavailable):
        images.remove(["base", "cobol"], engine, IMAGES)

    assert engine.find("gradebox/base:latest") is not None

"""How answers about images are read, and the errors of a removal and a build (`tests/docker` has the real engine)."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import docker.errors
import pytest
import requests

from gradebox.sandbox.engines.docker.docker_images import DockerImages
from gradebox.sandbox.errors import EngineRefused, EngineUnavailable, ImageUnavailable

ANSWER = {"Id": "sha256:1", "RepoTags": None, "Config": {"Labels": None}, "Size": 7, "Created": "2026-05-01T12:00:00Z"}


def images_of(**methods: Any) -> DockerImages:
    return DockerImages("unix:///nowhere", 1, SimpleNamespace(**methods))


def error(status: int) -> docker.errors.APIError:
    response = requests.Response()
    response.status_code = status
    return docker.errors.APIError("no", response=response, explanation="it is in use")


def refusing(raised: Exception) -> DockerImages:
    def refuse(*_: object, **_words: object) -> None:
        raise raised

    return images_of(remove_image=refuse, inspect_image=refuse)


def test_an_answer_may_leave_things_out() -> None:
    found = images_of(inspect_image=lambda _: ANSWER).find("a")
    assert found is not None
    assert (found.id, found.tags, found.labels, found.size_bytes, found.created) == ("sha256:1", (), {}, 7, 1777636800)
    found = images_of(inspect_image=lambda _: {**ANSWER, "Created": ""}).find("a")
    assert found is not None
    assert found.created is None


def test_an_image_without_a_name_has_no_tags() -> None:
    answer = {"Id": "sha256:1", "RepoTags": ["<none>:<none>", "a:1"], "Labels": None, "Size": 1, "Created": 5}
    (found,) = images_of(images=lambda filters: [answer]).labelled("label")
    assert (found.tags, found.created) == (("a:1",), 5.0)


def test_a_removal_says_whether_there_was_something() -> None:
    assert images_of(remove_image=lambda _: None).remove("a")
    assert not refusing(docker.errors.ImageNotFound("no such image")).remove("a")
    assert not refusing(error(404)).remove("a")
    with pytest.raises(ImageUnavailable, match=r"a cannot be removed: The engine refused: it is in use") as caught:
        refusing(error(409)).remove("a")
    assert caught.value.remedy == "First remove everything that uses it."
    with pytest.raises(EngineRefused):
        refusing(error(500)).remove("a")


def test_a_build_shows_its_lines_and_names_its_image() -> None:
    tagged: list[tuple[str, ...]] = []
    lines: list[str] = []

    def build(**_: object) -> Iterator[dict[str, Any]]:
        yield {"stream": "Step 1/1\n\n"}
        yield {"status": "Pulling"}
        yield {"aux": {"ID": "sha256:9"}}

    images = images_of(build=build, tag=lambda *words: tagged.append(words))
    image = images.build(b"", ["a:1", "a:latest"], arguments={}, labels={}, fresh=False, on_line=lines.append)
    assert (image, lines, tagged) == ("sha256:9", ["Step 1/1", "Pulling"], [("sha256:9", "a", "latest")])


def test_a_step_that_fails_is_an_error_with_its_reason() -> None:
    images = images_of(build=lambda **_: iter([{"error": "it failed."}]))
    with pytest.raises(ImageUnavailable, match=r"^it failed$"):
        images.build(b"", ["a:1"], arguments={}, labels={}, fresh=False, on_line=print)


@pytest.mark.parametrize(
    ("events", "reason", "shown"),
    [
        ([{"id": "layer", "status": "Pulling"}, {"status": "Bar", "progressDetail": {"current": 1}}], None,
         ["layer: Pulling"]),
        ([{"error": "manifest unknown"}], "manifest unknown", []),
    ],
)  # fmt: skip
def test_a_pull_shows_its_progress_or_says_why_not(
    events: list[dict[str, Any]], reason: str | None, shown: list[str]
) -> None:
    lines: list[str] = []
    images = images_of(pull=lambda *_, **_words: iter(events))
    assert images.pull("a:1", patience_seconds=5, on_line=lines.append) == reason
    assert lines == shown


def test_an_engine_that_does_not_answer_is_named_with_the_reason() -> None:
    with pytest.raises(EngineUnavailable, match=r"does not answer: No such file or directory\."):
        DockerImages("unix:///nowhere/engine.sock", 1)

"""When an image is pulled, and what happens when a registry limits requests."""

from __future__ import annotations

import pytest
from fake_images import FakeImages

from gradebox.sandbox.engines.engine import OnLine
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images.pulling import Pull, obtain


class Limited(FakeImages):
    """A registry that refuses so many requests."""

    refusals = 3

    def pull(self, reference: str, *, patience_seconds: float, on_line: OnLine, platform: str = "") -> str | None:
        if self.refusals:
            self.refusals -= 1
            return "toomanyrequests: You have reached your pull rate limit."
        return super().pull(reference, patience_seconds=patience_seconds, on_line=on_line, platform=platform)


def test_an_image_that_the_engine_has_is_not_pulled() -> None:
    images = FakeImages(registry={"a:1"})
    images.add("a:1")

    obtain("a:1", images)

    assert images.pulled == []


def test_always_pulls_what_the_engine_has() -> None:
    images = FakeImages(registry={"a:1"})
    images.add("a:1")

    obtain("a:1", images, policy=Pull.ALWAYS)

    assert images.pulled == ["a:1"]


def test_never_pulls_nothing() -> None:
    images = FakeImages(registry={"a:1"})

    with pytest.raises(ImageUnavailable, match="The engine has no image a:1"):
        obtain("a:1", images, policy=Pull.NEVER)
    assert images.pulled == []


def test_a_registry_that_limits_requests_is_asked_again_with_growing_pauses() -> None:
    images, lines, slept = Limited(registry={"a:1"}), list[str](), list[float]()

    obtain("a:1", images, lines.append, sleep=slept.append)

    assert len(slept) == 3
    assert sum("trying again" in line for line in lines) == 3


def test_a_registry_that_keeps_limiting_is_given_up() -> None:
    images = Limited(registry={"a:1"})
    images.refusals = 1000

    with pytest.raises(ImageUnavailable, match="rate limit"):
        obtain("a:1", images, sleep=lambda _: None)


def test_another_reason_is_final() -> None:
    images, slept = FakeImages(), list[float]()

    with pytest.raises(ImageUnavailable, match="manifest unknown"):
        obtain("a:1", images, sleep=slept.append)
    assert slept == []


def test_an_image_for_another_platform_is_pulled() -> None:
    images = FakeImages(registry={"a:1"})
    images.add("a:1", platform="linux/amd64")
    assert obtain("a:1", images, platform="linux/amd64").platform == "linux/amd64"
    assert images.pulled == []
    assert obtain("a:1", images, platform="linux/arm64").platform == "linux/arm64"
    images.add("b:1", platform="linux/arm64/v8")
    obtain("b:1", images, platform="linux/arm64")
    with pytest.raises(ImageUnavailable):
        obtain("b:1", images, policy=Pull.NEVER, platform="linux/arm")
    assert images.pulled == ["a:1"]

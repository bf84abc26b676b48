"""Images that others describe, on an engine in memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_images import FakeImages

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import described_image
from gradebox.sandbox.images.context import DOCKERFILE, BuildContext
from gradebox.sandbox.images.described_image import LABEL_SOURCE, Description


def described(tmp_path: Path, text: bytes = b"FROM base\n", target: str = "", **arguments: str) -> Description:
    source = str(tmp_path / "case.yaml")
    return Description("sum", source, BuildContext(text, tmp_path), arguments, target, ("PIP_INDEX_URL",))


def quiet(_: str) -> None:
    pass


def test_the_key_is_of_dockerfile_arguments_target_and_the_images_below(tmp_path: Path) -> None:
    def key(of: Description, base: str = "sha256:1") -> str:
        return of.key(lambda _name, _line: base, quiet)

    same = key(described(tmp_path))

    assert key(described(tmp_path)) == same
    others = {
        key(described(tmp_path, b"FROM base\nRUN x\n")),
        key(described(tmp_path, A="1")),
        key(described(tmp_path, target="t")),
        key(described(tmp_path), "sha256:2"),
        key(replace(described(tmp_path), platform="linux/arm64")),
    }
    assert len(others | {same}) == 6


def test_a_second_build_builds_nothing(tmp_path: Path) -> None:
    images = FakeImages()
    first = described_image.build(described(tmp_path), "0123", images, quiet, {})
    second = described_image.build(described(tmp_path), "0123", images, quiet, {})

    assert first == second
    assert len(images.built) == 1
    assert first.labels[LABEL_SOURCE] == "sum"
    assert images.built[0].dockerfile == DOCKERFILE


def test_an_image_for_another_platform_than_that_of_the_case_is_refused(tmp_path: Path) -> None:
    wanted = replace(described(tmp_path), platform="linux/arm64")
    images = FakeImages()
    for _ in range(2):
        with pytest.raises(ImageUnavailable, match="and the case wants linux/arm64"):
            described_image.build(wanted, "0123", images, quiet, {})
    assert images.built[0].platform == "linux/arm64"


def test_settings_of_this_machine_are_passed_on_and_the_description_wins(tmp_path: Path) -> None:
    images = FakeImages()
    environment = {"PIP_INDEX_URL": "https://mirror", "HTTP_PROXY": "proxy", "HOME": "/root"}

    described_image.build(described(tmp_path, PIP_INDEX_URL="mine"), "0123", images, quiet, environment)

    assert images.built[0].arguments == {"PIP_INDEX_URL": "mine", "HTTP_PROXY": "proxy"}


def test_a_build_that_fails_shows_its_last_lines_and_what_to_correct(tmp_path: Path) -> None:
    images = FakeImages(failing="gradebox-case")

    with pytest.raises(ImageUnavailable) as raised:
        described_image.build(described(tmp_path), "0123", images, quiet, {})
    assert "The image of sum cannot be built: The command returned a non-zero code: 100." in raised.value.message
    assert "\n    Step 1/1 : FROM" in raised.value.message
    assert "case.yaml" in raised.value.remedy

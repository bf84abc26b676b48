"""The image that a case says how to build, in words."""

from __future__ import annotations

from pathlib import Path

from gradebox.graders.model.own_image import OwnImage


def test_a_dockerfile_is_named_with_its_stage() -> None:
    assert str(OwnImage(Path("c"), Path("c/Dockerfile"), Path("c"))) == "c/Dockerfile"
    assert str(OwnImage(Path("c"), Path("c/Dockerfile"), Path("c"), target="test")) == "c/Dockerfile, target test"


def test_packages_are_named_with_their_base() -> None:
    image = OwnImage(Path("c"), base="python", apt=("jq", "git"), pip=("six",))

    assert str(image) == "python with apt: jq git; pip: six"
    assert str(OwnImage(Path("c"), base="python")) == "python with nothing more"

"""The `image` of a case: a name, or how it is built, and the Dockerfile beside a case that names none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import load
from gradebox.graders.model.own_image import OwnImage

Write = Callable[[Mapping[str, str | bytes]], Path]

CHECK = 'assertions: [{type: code-grader, command: "true"}]\n'


def read(tree: Write, image: str, **files: str) -> tuple[OwnImage | str | None, str]:
    """Return the image of a case, and what its file is told."""
    named = {name.replace("__", "/"): text for name, text in files.items()}
    place = tree({"case.yaml": f"input: x\n{image}\n{CHECK}", **named})
    loaded = load(place)
    found = loaded.cases[0].image if loaded.cases else None
    return found, "\n".join(map(str, loaded.diagnostics))


def test_a_dockerfile_copies_from_where_it_lies(tree: Write, tmp_path: Path) -> None:
    found, told = read(tree, "image: {dockerfile: docker/Dockerfile, args: {V: 1}}", docker__Dockerfile="FROM a\n")

    file = tmp_path / "docker" / "Dockerfile"
    assert found == OwnImage(tmp_path, file, file.parent, (("V", "1"),))
    assert told == ""


def test_another_context_and_a_stage_can_be_named(tree: Write, tmp_path: Path) -> None:
    image = "image: {dockerfile: docker/Dockerfile, context: ., target: Test}"
    found, told = read(tree, image, docker__Dockerfile="FROM a AS test\nFROM b\n")

    assert isinstance(found, OwnImage)
    assert (found.context, found.target) == (tmp_path, "Test")
    assert told == ""


def test_packages_stand_on_an_image(tree: Write, tmp_path: Path) -> None:
    image = 'image: {base: python, apt: "g++", pip: ["numpy==2.1.0", "requests[socks] >=2,<3"], npm: ["@a/b@^1.2"]}'
    found, told = read(tree, image)

    packages = {"apt": ("g++",), "pip": ("numpy==2.1.0", "requests[socks] >=2,<3"), "npm": ("@a/b@^1.2",)}
    assert found == OwnImage(tmp_path, base="python", **packages)
    assert told == ""


@pytest.mark.parametrize("place", ["Dockerfile", "environment/Dockerfile"])
def test_a_dockerfile_beside_a_case_without_an_image_is_used_with_a_warning(
    tree: Write, tmp_path: Path, place: str
) -> None:
    found, told = read(tree, "language: python", **{place.replace("/", "__"): "FROM a\n"})

    assert found == OwnImage(tmp_path, tmp_path / place, (tmp_path / place).parent, found=True)
    assert f"case.yaml:1:1: warning: the image is built from `{place}`" in told


def test_a_case_that_names_an_image_keeps_it(tree: Write) -> None:
    assert read(tree, "image: mine:1", Dockerfile="FROM a\n") == ("mine:1", "")


def test_a_suite_may_say_how_the_image_is_built(tree: Write, tmp_path: Path) -> None:
    place = tree({"EVAL.yaml": f"image: {{base: python, apt: jq}}\ntests: [{{id: a, input: x}}]\n{CHECK}"})

    assert load(place).cases[0].image == OwnImage(tmp_path, base="python", apt=("jq",))


@pytest.mark.parametrize(
    ("image", "told"),
    [
        ("{dockerfile: Dokerfile}", "2:21: error: `dockerfile` names `Dokerfile`, which is not a file"),
        ("{dockerfile: Dokerfile}", "Did you mean `Dockerfile`?"),
        ("{dockerfle: Dockerfile}", "2:9: error: unknown key `dockerfle` (at image.dockerfle). Did you"),
        ("{dockerfile: Dockerfile, context: away}", "2:42: error: `context` names `away`, which is not a directory"),
        ("{dockerfile: Dockerfile, target: tset}", "2:41: error: the Dockerfile has no stage `tset`"),
        ("{dockerfile: Dockerfile, target: tset}", "Its stages are `test`."),
        ("{dockerfile: Dockerfile, pip: six}", "2:38: error: `pip` does not go with a `dockerfile`"),
        ("{base: python, target: x}", "2:31: error: `target` belongs to a `dockerfile`"),
        ("{apt: jq}", "`image` has neither `dockerfile` nor `base`"),
        ("[python]", "`image` must be a name or a mapping"),
        ("{base: python, pip: [--index-url, x]}", "2:29: error: `pip[0]` must be the name of a package, not the"),
        ("{base: python, pip: [--index-url, x]}", "Set PIP_INDEX_URL in the environment"),
        ("{base: python, pip: [./x]}", "`pip[0]` must be the name of a package, not `./x`"),
        ("{base: python, pip: ['git+https://a/b']}", "must be the name of a package"),
        ("{base: python, pip: ['x @ https://a/b']}", "must be the name of a package"),
        ("{base: python, pip: x.whl}", "must be the name of a package"),
        ("{base: python, apt: [python3-]}", "must be the name of a package"),
        ("{base: python, apt: ['a; reboot']}", "must be the name of a package"),
        ("{base: python, apt: ['*']}", "must be the name of a package"),
        ("{base: node, npm: [user/repo]}", "must be the name of a package"),
        ("{base: node, npm: ['a@https://b']}", "must be the name of a package"),
        ("{base: node, npm: ['$(x)']}", "must be the name of a package"),
        ("{base: -x}", "`base` must be a Docker image's reference"),
    ],
)  # fmt: skip
def test_mistakes_are_reported_where_they_are(tree: Write, image: str, told: str) -> None:
    found, said = read(tree, f"image: {image}", Dockerfile="FROM a AS test\nFROM test\n")

    assert found is None
    assert told in said


def test_what_needs_buildkit_is_named_with_its_line(tree: Write) -> None:
    _, told = read(tree, "image: {dockerfile: Dockerfile}", Dockerfile="FROM a\n\nRUN --mount=type=cache,target=/x y\n")

    assert "Dockerfile:3:1: warning: `RUN --mount` needs BuildKit" in told


@pytest.mark.parametrize("line", ["COPY . /made", "COPY --chown=1:1 ./ /made/", "ADD . /made"])
def test_a_dockerfile_that_copies_what_lies_beside_the_case_is_doubtful(tree: Write, line: str) -> None:
    _, told = read(tree, "image: {dockerfile: Dockerfile}", Dockerfile=f"FROM a\n{line}\n")

    assert "Dockerfile:2:1: warning: this copies what lies beside the case file into the image" in told


@pytest.mark.parametrize("line", ["COPY data.txt .", "COPY --from=a . /made", "RUN ls ."])
def test_a_dockerfile_that_names_what_it_copies_is_not(tree: Write, line: str) -> None:
    assert read(tree, "image: {dockerfile: Dockerfile}", Dockerfile=f"FROM a AS a\n{line}\n")[1] == ""


def test_what_lies_in_environment_can_be_copied_as_a_whole(tree: Write) -> None:
    image = "image: {dockerfile: environment/Dockerfile}"

    assert read(tree, image, environment__Dockerfile="FROM a\nCOPY . /made\n")[1] == ""


def test_a_platform_is_one_of_linux(tree: Write, tmp_path: Path) -> None:
    found, told = read(tree, "image: {base: python, platform: linux/arm64/v8}")
    assert found == OwnImage(tmp_path, base="python", platform="linux/arm64/v8")
    assert told == ""
    _, told = read(tree, "image: {base: python, platform: arm}")
    assert "must be a platform of Linux, not `arm`" in told

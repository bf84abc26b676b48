"""The deciding half of images: order, hashes, what must be built, what is sent to the engine."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

import pytest
from copied_images import copied_images

from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import recipes as image_recipes
from gradebox.sandbox.images.recipes import ImageState, Recipe, Root

IMAGES = image_recipes.find_images_directory()
CATALOGUE = image_catalogue()
RECIPES = CATALOGUE.recipes
NAMES = CATALOGUE.names


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A copy of the recipes that a test may change."""
    return Path(shutil.copytree(IMAGES, tmp_path / "images"))


def names(recipes: tuple[Recipe, ...]) -> list[str]:
    return [recipe.name for recipe in recipes]


def members(context: bytes) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(context)) as tar:
        return {member.name: member for member in tar.getmembers()}


def test_every_recipe_has_its_files() -> None:
    for recipe in RECIPES.values():
        for name in ("Dockerfile", *recipe.files):
            assert (IMAGES / recipe.directory / name).is_file(), f"{recipe.name} lacks {name}"
        for program in recipe.programs:
            assert program.is_file(), f"{recipe.name} lacks {program}"
        sent = [*recipe.files, *(program.name for program in recipe.programs), *recipe.texts]
        assert len(set(sent)) == len(sent)


def test_a_dockerfile_copies_only_what_its_recipe_sends() -> None:
    """If a Dockerfile copies a file that the recipe does not name, then the build fails and the hash ignores it."""
    for recipe in RECIPES.values():
        sent = {"Dockerfile", "authorities.pe[m]", *recipe.files, *recipe.texts}
        for line in (IMAGES / recipe.directory / "Dockerfile").read_text().splitlines():
            if line.startswith("COPY ") and "--from=" not in line:
                copied = set(line.split()[1:-1])
                assert copied <= sent | {f"*{program.suffix}" for program in recipe.programs}, line


def test_every_name_on_offer_has_a_recipe() -> None:
    assert set(NAMES) <= set(RECIPES)


def test_parents_come_first_and_once() -> None:
    ordered = names(CATALOGUE.chain(["python", "julia", "node", "base"]))

    assert ordered == ["base", "python", "julia-base", "julia", "node"]


def test_an_unknown_name_is_an_error_with_a_suggestion() -> None:
    with pytest.raises(ImageUnavailable) as raised:
        CATALOGUE.chain(["pyhton"])

    assert raised.value.remedy == "Did you mean 'python'?"


def test_an_outlandish_name_is_an_error_with_the_list() -> None:
    with pytest.raises(ImageUnavailable, match=f"The images are: {', '.join(NAMES)}."):
        CATALOGUE.chain(["cobol-2077"])


def test_a_hash_is_the_same_for_the_same_files(directory: Path) -> None:
    for name in RECIPES:
        assert CATALOGUE.inputs_hash(name, directory) == CATALOGUE.inputs_hash(name, IMAGES)


def test_hashes_differ_between_images() -> None:
    """`base` and `julia-base` share a Dockerfile and are different images all the same."""
    assert len({CATALOGUE.inputs_hash(name, IMAGES) for name in RECIPES}) == len(RECIPES)


def test_a_change_reaches_the_hashes_above_it_and_no_others(directory: Path, tmp_path: Path) -> None:
    copied = copied_images(tmp_path)
    before = {name: copied.inputs_hash(name, directory) for name in RECIPES}
    (tmp_path / "python" / "requirements.txt").write_text("")
    changed = {name for name in RECIPES if copied.inputs_hash(name, directory) != before[name]}
    assert changed == {"python"}

    (directory / "base" / "install-packages").write_text("")
    changed = {name for name in RECIPES if CATALOGUE.inputs_hash(name, directory) != before[name]}
    assert changed == set(RECIPES)


def test_a_file_that_does_not_reach_the_image_does_not_reach_its_hash(directory: Path) -> None:
    copied = copied_images(directory)
    before = copied.inputs_hash("julia", directory)
    (directory / "julia" / "runner.jl").write_text("print(1)")

    assert copied.inputs_hash("julia", directory) == before


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (None, ImageState.MISSING),
        ({}, ImageState.STALE),
        ({image_recipes.LABEL_INPUTS: "old"}, ImageState.STALE),
        ({image_recipes.LABEL_INPUTS: "now"}, ImageState.CURRENT),
    ],
)
def test_state(labels: dict[str, str] | None, expected: ImageState) -> None:
    assert image_recipes.state(labels, "now") is expected


def test_nothing_is_planned_when_all_is_current() -> None:
    assert CATALOGUE.plan(NAMES, lambda name: ImageState.CURRENT, fresh=False) == ()


def test_everything_is_planned_when_fresh() -> None:
    assert names(CATALOGUE.plan(["bun"], lambda name: ImageState.CURRENT, fresh=True)) == ["base", "bun"]


def test_a_current_image_needs_no_parent() -> None:
    """If someone removed the name `gradebox/base`, then a current python image is still used as it is."""
    states = {"base": ImageState.MISSING, "python": ImageState.CURRENT, "node": ImageState.MISSING}

    assert CATALOGUE.plan(["python"], states.__getitem__, fresh=False) == ()
    assert names(CATALOGUE.plan(["python", "node"], states.__getitem__, fresh=False)) == ["base", "node"]


def test_only_what_is_not_current_is_planned() -> None:
    states = {"base": ImageState.CURRENT, "python": ImageState.STALE, "node": ImageState.CURRENT}

    assert names(CATALOGUE.plan(["python", "node"], states.__getitem__, fresh=False)) == ["python"]


def test_a_context_holds_the_dockerfile_and_the_named_files() -> None:
    found = members(image_recipes.build_context(RECIPES["python"], IMAGES, None))

    assert set(found) == {"Dockerfile", "requirements.txt", "uv", "uv.pth"}


def test_a_context_is_the_same_bytes_for_the_same_files(directory: Path) -> None:
    """If a file's time or mode were in it, then the engine's build cache would be of no use."""
    script = directory / "base" / "install-packages"
    script.chmod(0o600)
    ours, theirs = (image_recipes.build_context(RECIPES["base"], where, None) for where in (IMAGES, directory))

    assert ours == theirs
    assert members(ours)["install-packages"].mode == 0o755


def test_authorities_are_lent_only_to_images_that_fetch() -> None:
    lent = {
        name
        for name, recipe in RECIPES.items()
        if "authorities.pem" in members(image_recipes.build_context(recipe, IMAGES, b"-----BEGIN"))
    }

    assert lent == {"python", "bun"}


def test_the_environment_says_whom_this_machine_trusts(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.pem"
    bundle.write_bytes(b"ours")

    assert image_recipes.trusted_authorities({"SSL_CERT_FILE": str(bundle)}) == b"ours"
    assert (
        image_recipes.trusted_authorities({"SSL_CERT_FILE": "/nowhere", "REQUESTS_CA_BUNDLE": str(bundle)}) == b"ours"
    )


def test_arguments_pass_on_the_way_to_the_network_and_nothing_else() -> None:
    environment = {
        "https_proxy": "http://proxy:3128",
        "PIP_INDEX_URL": "https://mirror/simple",
        "NPM_CONFIG_REGISTRY": "https://mirror/npm",
        "HTTP_PROXY": "",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }

    assert image_recipes.build_arguments(RECIPES["python"], "below", environment) == {
        "BASE": "below",
        "https_proxy": "http://proxy:3128",
        "PIP_INDEX_URL": "https://mirror/simple",
    }


def test_settings_are_arguments_that_the_dockerfile_declares() -> None:
    for recipe in RECIPES.values():
        text = (IMAGES / recipe.directory / "Dockerfile").read_text()
        for name in ("BASE", *recipe.settings):
            assert f"\nARG {name}=" in f"\n{text}", f"{recipe.name} does not declare {name}"


def test_roots_have_a_release_to_fall_back_on() -> None:
    roots = [recipe.parent for recipe in RECIPES.values() if isinstance(recipe.parent, Root)]

    assert {root.imported.partition(":")[2] for root in roots} == {"bookworm", "bullseye", "trixie"}


def test_python_packages_are_pinned_by_version_and_hash() -> None:
    lines = (Path(RECIPES["python"].directory) / "requirements.txt").read_text().splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]

    assert any(line.startswith("pytest==") for line in pinned)
    assert all("==" in line and "--hash=sha256:" in line for line in pinned)

"""The images of all languages."""

from __future__ import annotations

from gradebox.graders import languages
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.images.recipes import BASE, TRIXIE


def test_every_language_has_an_image_that_a_recipe_builds() -> None:
    known = image_catalogue()
    own = [each for each in languages.languages().values() if languages.is_own(each.name)]
    assert {name for each in own for name in (each.image, *each.fuller.values())} == set(known.names)


def test_a_shell_needs_no_image_of_its_own() -> None:
    assert languages.get("bash").image == BASE.name


def test_a_program_can_have_a_fuller_image_than_its_language() -> None:
    assert languages.image_of_program("bats") == "bats"


def test_a_step_below_an_image_is_on_no_offer() -> None:
    assert [recipe.name for recipe in languages.get("julia").recipes()] == ["julia-base", "julia"]
    assert "julia-base" not in image_catalogue().names


def test_a_dockerfile_alone_is_a_recipe() -> None:
    (recipe,) = languages.get("lua").recipes()
    assert (recipe.name, recipe.parent, recipe.on_demand) == ("lua", TRIXIE.name, True)
    assert languages.get("cpp").recipes() == ()


def test_the_image_of_bun_compiles_the_programs_that_gradebox_starts() -> None:
    (recipe,) = languages.get("typescript").recipes()
    texts = {name: text() for name, text in recipe.texts.items()}
    started = [languages.get("typescript").argv(apart=apart)[-1] for apart in (False, True)]
    assert [texts["together.ts"], texts["apart.ts"]] == started
    program, front = texts["candidate.ts"], texts["apart.ts"]
    assert front.startswith(program.removesuffix("new Candidate(4, 3).serve();"))
    assert len(program) < len(front)

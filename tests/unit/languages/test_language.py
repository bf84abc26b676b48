"""Languages: those that there are, their item runners, images, fences and programs."""

from __future__ import annotations

import pytest

from gradebox.graders import languages
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.graders.languages.language import started

MAX_ARGUMENT_BYTES = 128 * 1024


@pytest.mark.parametrize("name", languages.names())
def test_every_language_has_an_image_and_a_runner_that_fits_into_an_argument(name: str) -> None:
    language = languages.get(name)
    assert language.image in image_catalogue().names
    assert language.answer_file.rpartition(".")[2] in language.fences
    assert language.runner or language.program
    for apart in {False, bool(language.apart)} if language.runner else ():
        *command, source = language.argv(apart=apart)
        assert tuple(command) == language.command
        assert 100 < len(source.encode()) < MAX_ARGUMENT_BYTES


def test_each_file_is_a_language() -> None:
    with_items = [name for name, language in languages.languages().items() if language.runner]
    assert with_items == ["bash", "javascript", "julia", "python", "typescript"]
    others = {*languages.names()} - {*with_items}
    assert others == {"c", "cpp", "go", "java", "lua", "perl", "php", "r", "ruby", "rust"}


def test_a_program_is_built_and_run_by_the_name_of_its_file() -> None:
    java, python = languages.get("java"), languages.get("python")
    assert java.building("src/Sum.java")[-1] == "src/Sum.java"
    assert java.running("src/Sum.java")[-3:] == ("-cp", ".classes", "Sum")
    assert (python.building("a.py"), python.running("a.py")) == ((), ("python3", "a.py"))


@pytest.mark.parametrize(("word", "name"), [("py", "python"), ("sh", "bash"), ("jl", "julia"), ("tsx", "typescript")])
def test_a_fence_or_a_suffix_names_a_language(word: str, name: str) -> None:
    found = languages.of_fence(word)
    assert found is not None
    assert found.name == name
    assert languages.of_fence("cobol") is None


def test_a_program_is_run_in_the_image_of_its_language() -> None:
    assert [languages.image_of_program(name) for name in ("bunx", "npx", "pytest", "sh")] == [
        "bun",
        "node",
        "python",
        None,
    ]


def test_an_image_says_by_a_label_what_starts_its_interpreter() -> None:
    argv = ("node", "-e", "0")
    assert started(argv, {"io.gradebox.start.node": "/quick"}) == ("/quick", "-e", "0")
    assert started(argv, {"io.gradebox.start.bun": "/quick"}) == started(argv, {}) == argv

"""What a workspace lists, as an image that has it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders import load_case
from gradebox.graders.authoring.listed_packages import suggested_image
from gradebox.graders.cli.main import run

Write = Callable[[Mapping[str, str | bytes]], Path]

CHECK = 'input: x\nassertions: [{type: code-grader, command: "true"}]\n'


def suggested(tree: Write, more: str = "", **files: str) -> str:
    named = {f"workspace/{name.replace('__', '.')}": text for name, text in files.items()}
    return suggested_image(load_case(tree({"case.yaml": f"{CHECK}{more}", **named})))


def test_requirements_are_taken_without_options_urls_and_comments(tree: Write) -> None:
    text = "# x\nnumpy==2.1.0  # y\n-r other.txt\nhttps://a/b.whl\nsix>=1 ; python_version > '3'\n./local\n"

    assert suggested(tree, requirements__txt=text) == 'image: {base: python, pip: ["numpy==2.1.0", "six>=1"]}'


def test_dependencies_are_taken_with_their_versions(tree: Write) -> None:
    text = json.dumps({"dependencies": {"zod": "^3.23.8", "local": "file:../x"}, "devDependencies": {"jest": "29.0.0"}})

    assert suggested(tree, package__json=text) == 'image: {base: node, npm: ["zod@^3.23.8", "jest@29.0.0"]}'


@pytest.mark.parametrize("text", ["{", "[]", '{"dependencies": []}', ""])
def test_a_file_that_lists_nothing_suggests_nothing(tree: Write, text: str) -> None:
    assert suggested(tree, package__json=text) == ""


def test_a_case_with_an_image_needs_no_suggestion(tree: Write) -> None:
    assert suggested(tree, "image: mine:1\n", requirements__txt="six\n") == ""


def test_validate_says_it_and_what_it_says_is_valid(tree: Write, capsys: pytest.CaptureFixture[str]) -> None:
    place = tree({"case.yaml": CHECK, "workspace/requirements.txt": "six==1.16.0\n"})
    assert run(["validate", str(place)]) == 0
    said = capsys.readouterr().err.partition("`")[2].partition("`")[0]
    (place / "case.yaml").write_text(f"{CHECK}{said}\n")
    assert run(["validate", "--strict", str(place)]) == 0

"""Which image a case is graded in where it names none."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from command_forms import FORMS, Form
from grading_bench import write
from service_bench import STORE

from gradebox.graders import load_case
from gradebox.graders.grading.image_choice import image_of, with_services
from gradebox.graders.model.case import Case, Place
from gradebox.sandbox.images.recipes import reference


@pytest.mark.parametrize(
    ("image", "language", "found"),
    [
        ("own:1", "python", "own:1"),
        (None, "python", reference("python")),
        (None, "bash", reference("base")),
        (None, "typescript", reference("bun")),
        (None, "javascript", reference("node")),
        (None, "julia", reference("julia")),
        (None, None, reference("base")),
    ],
)
def test_the_image_is_the_cases_or_its_languages_or_the_base(
    image: str | None, language: str | None, found: str
) -> None:
    assert image_of(Case("case", Place(Path("x")), Path("x"), (), image=image, language=language)) == found


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ('{type: code-grader, command: ["bun", "test", "tests/parser.test.ts"]}', "bun"),
        ("{type: code-grader, command: [python3, x.py]}", "python"),
        ("{type: code-grader, command: [pytest]}", "python"),
        ("{type: code-grader, command: [./bun]}", "base"),
        ("{type: code-grader, command: [bats, --tap, .]}", "bats"),
        ("{type: code-grader, command: [ctest, --test-dir, build]}", "gcc"),
        ("{type: code-grader, command: cd app && CI=1 npm test}", "node"),
        ("{type: code-grader, command: make; julia run.jl | tee log}", "julia"),
        ("{type: code-grader, command: grep bun notes}", "base"),
        ("{type: code-grader, command: [sh, check.sh], setup: npx tsc}", "node"),
        ("{type: rubrics, rubrics: [{command: [python, x.py]}]}", "python"),
        ("{type: composite, assertions: [{type: code-grader, command: node x.js}]}", "node"),
        ("{type: code-grader, command: [bun, run, x.ts]}", "bun"),
        ("{type: code-grader, command: [npx, --yes, tsx, x.ts]}", "bun"),
        ("{type: code-grader, command: npx tsx x.ts}", "bun"),
        ("{type: code-grader, command: [npx, jest]}", "node"),
        ("{type: code-grader, command: [uv, run, python, x.py]}", "python"),
        ("{type: code-grader, command: [./scripts/x.ts]}", "bun"),
        ("{type: code-grader, command: [timeout, '9', nice, python3, x.py]}", "python"),
        ("{type: code-grader, command: [uv, run, ruff]}", "python"),
        ("{type: code-grader, command: [bunx, tsx, x.ts]}", "bun"),
        ("{type: code-grader, command: xvfb-run -a npm test}", "node"),
        ("{type: code-grader, command: [sh, -c, node x.js]}", "node"),
        ("{type: code-grader, command: [./x.py]}", "python"),
        ("{type: code-grader, command: [./x.sh]}, {type: code-grader, command: [./x.mjs]}", "node"),
        ("{type: python, value: 'True'}, {type: javascript, value: 'true'}", "bun"),
        ("{type: unit-tests, language: julia, items: [x]}", "julia"),
        ("{type: unit-tests, language: bash, items: [python]}", "base"),
        ("{type: contains, value: python}", "base"),
        (
            "{type: code-grader, command: [a]}, {type: code-grader, command: bun}, {type: code-grader, command: node}",
            "bun",
        ),
    ],
)
def test_without_image_and_language_it_is_that_of_what_the_checks_run(tmp_path: Path, check: str, found: str) -> None:
    write(tmp_path / "case", {"case.yaml": f"assertions: [{check}]\n"})
    case = load_case(tmp_path / "case")
    assert image_of(case) == reference(found)
    write(tmp_path / "case", {"case.yaml": f"assertions: [{check}]\nlanguage: bash\n"})
    assert image_of(load_case(tmp_path / "case")) == reference(found if found == "bats" else "base")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.line)
def test_the_image_of_a_command_is_that_of_the_program_behind_its_launchers(form: Form, tmp_path: Path) -> None:
    for command in (json.dumps(form.line), json.dumps(shlex.split(form.line))):
        text = f"setup: [{{command: {command}}}]\nassertions: [{{type: contains, value: x}}]\n"
        (tmp_path / "case.yaml").write_text(text)
        assert image_of(load_case(tmp_path)) == reference(form.image)


def test_a_setup_that_needs_an_image_gets_it(tmp_path: Path) -> None:
    write(tmp_path / "case", {"case.yaml": "setup: npm ci\nassertions: [{type: code-grader, command: make}]\n"})
    assert image_of(load_case(tmp_path / "case")) == reference("node")


def test_the_program_of_a_hook_needs_its_image_too(tmp_path: Path) -> None:
    text = (
        "hooks: {before_all: {command: [bun, -e, '1']}}\ntests: [{id: a, assertions: [{type: contains, value: x}]}]\n"
    )
    (tmp_path / "EVAL.yaml").write_text(text)
    assert image_of(load_case(tmp_path / "EVAL.yaml")) == reference("bun")


def test_a_case_needs_its_own_image_and_those_of_its_services() -> None:
    web = replace(STORE, name="web", image="web:1")
    case = Case("case", Place(Path("x")), Path("x"), (), image="own:1", services=(STORE, web))
    assert [image_of(one) for one in with_services(case)] == ["own:1", "image", "web:1"]

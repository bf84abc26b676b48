"""``definition.toml``: the file is validated in full, with places, and becomes a case with four checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, load
from gradebox.plugins.julia_leaderboard.definition import Parsed

Tree = Callable[[Mapping[str, str | bytes]], Path]

SOUND = '''\
[code_generation]
name = "add_one"
contributor = "someone"
criteria = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
prompt = "Write `add_one`."
version = "1.0"
imports = []
examples = ["add_one(1)"]
examples_setup = ["x = 1"]
unit_tests = ["""
@test add_one(1) == 2
""", "@test add_one(0) == 1"]
reference_solution = """
add_one(x) = x + 1
"""
'''


def loaded(tree: Tree, text: str, where: str = "code_generation/basics/add_one/definition.toml") -> Loaded:
    return load(tree({where: text}) / where, environ={})


def test_a_sound_definition_becomes_a_case_with_four_checks_of_equal_weight(tree: Tree) -> None:
    result = loaded(tree, SOUND)
    assert result.diagnostics == ()
    (case,) = result.cases
    names = ["parsed", "executed", "passed_unit_tests", "executed_examples"]
    assert [check.name for check in case.checks] == names
    assert {(check.weight, check.required, check.negate) for check in case.checks} == {(1.0, False, False)}
    assert (case.id, case.language, case.category, case.command_seconds) == ("add_one", "julia", "basics", 30.0)
    assert (case.input[0].role, case.input[0].content) == ("user", "Write `add_one`.")
    assert case.reference_text == "add_one(x) = x + 1\n"


def test_setup_and_teardown_are_around_every_item(tree: Tree) -> None:
    text = SOUND.replace("[code_generation]", '[code_generation]\nexamples_teardown = ["y = 2", "z = 3"]')
    first = loaded(tree, text).cases[0].checks[0]
    assert isinstance(first, Parsed)
    assert first.examples == ("x = 1\n\nadd_one(1)\n\ny = 2\nz = 3",)
    assert first.unit_tests == ("\n\n@test add_one(1) == 2\n\n\n", "\n\n@test add_one(0) == 1\n\n")
    assert (first.function, first.imports) == ("add_one", ())


def test_setup_and_teardown_are_one_source_or_its_lines(tree: Tree) -> None:
    text = SOUND.replace('examples_setup = ["x = 1"]', 'examples_setup = "x = 1\\ny = 2\\n"')
    text = text.replace("[code_generation]", '[code_generation]\nunit_tests_setup = ["a = 1", "", "b = 2"]')
    first = loaded(tree, text).cases[0].checks[0]
    assert isinstance(first, Parsed)
    assert first.examples == ("x = 1\ny = 2\n\n\nadd_one(1)\n\n",)
    assert first.unit_tests[1] == "a = 1\n\nb = 2\n\n@test add_one(0) == 1\n\n"


@pytest.mark.parametrize(
    "field",
    ["name", "contributor", "criteria", "prompt", "version", "imports", "examples", "unit_tests", "reference_solution"],
)
def test_each_missing_field_is_named_by_itself(field: str, tree: Tree) -> None:
    of_one_field = re.compile(rf"^{field} = .*?(?=^\w+ = |\Z)", re.MULTILINE | re.DOTALL)
    text = of_one_field.sub("", SOUND)
    result = loaded(tree, text)
    assert [(found.path, found.message) for found in result.errors] == [
        (f"code_generation.{field}", f"`{field}` is missing")
    ]


def test_the_hint_of_a_wrong_value_is_toml(tree: Tree) -> None:
    (error,) = loaded(tree, SOUND.replace("imports = []", 'imports = "Dates"')).errors
    assert error.hint == "Put its entries into brackets: `[...]`."


def test_the_time_of_the_case_is_enough_for_every_item_to_run_into_its_limit(tree: Tree) -> None:
    (case,) = loaded(tree, SOUND).cases
    assert case.timeout_seconds >= 30.0 * (2 + 3)


def test_a_definition_may_set_the_time_of_its_tries_and_items(tree: Tree) -> None:
    (case,) = loaded(tree, SOUND + "timeout_seconds = 90\n").cases
    assert case.limit_seconds() == 90.0
    assert case.timeout_seconds >= 90.0 * (2 + 3)


def test_a_directory_with_a_definition_is_loaded_as_one(tree: Tree) -> None:
    root = tree({"basics/add_one/definition.toml": SOUND})
    assert [case.id for case in load(root / "basics/add_one", environ={}).cases] == ["add_one"]


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (".", ["late", "add_one", "middle"]),
        ("code_generation", ["add_one", "middle"]),
        ("code_generation/basics", ["add_one"]),
        ("code_generation/basics/add_one", ["add_one"]),
        ("code_generation/basics/add_one/definition.toml", ["add_one"]),
    ],
)
def test_any_directory_above_definitions_is_a_suite(where: str, ids: list[str], tree: Tree) -> None:
    root = tree(
        {
            "code_generation/basics/add_one/definition.toml": SOUND,
            "code_generation/basics/add_one/some-model/definition.toml": "what a model wrote is not a case",
            "code_generation/statistics/middle/definition.toml": SOUND.replace('"add_one"', '"middle"'),
            "code_generation/README.md": "",
            "a/b/c/late/definition.toml": SOUND.replace('"add_one"', '"late"'),
        }
    )
    result = load(root / where, environ={})
    assert result.diagnostics == ()
    assert [case.id for case in result.cases] == ids
    assert {case.id: case.category for case in result.cases}.items() <= {
        ("add_one", "basics"),
        ("middle", "statistics"),
        ("late", "c"),
    }


def test_a_broken_or_doubled_definition_leaves_the_others_of_its_suite(tree: Tree) -> None:
    root = tree(
        {
            "a/add_one/definition.toml": SOUND,
            "b/add_one/definition.toml": SOUND,
            "b/broken/definition.toml": "x = 1",
            "b/middle/definition.toml": SOUND.replace('"add_one"', '"middle"'),
        }
    )
    result = load(root, environ={})
    assert [case.place.file.parent.parent.name for case in result.cases] == ["a", "b"]
    assert sorted(case.id for case in result.broken) == ["add_one", "broken"]
    assert any("already has the id `add_one`" in found.message for found in result.errors)


def test_a_linked_directory_of_definitions_is_reported_and_not_followed(tree: Tree) -> None:
    root = tree({"suite/basics/add_one/definition.toml": SOUND, "other/middle/definition.toml": SOUND})
    (root / "suite/linked").symlink_to(root / "other")
    result = load(root / "suite", environ={})
    assert [case.id for case in result.cases] == ["add_one"]
    assert [found.message for found in result.warnings] == ["skipped: a symbolic link is not followed"]


def test_a_name_that_is_no_file_name_still_is_the_functions(tree: Tree) -> None:
    (case,) = loaded(tree, SOUND.replace('"add_one"', '"add_one!"'), "basics/add_one!/definition.toml").cases
    assert (case.id, case.metadata["name"]) == ("add_one_", "add_one!")
    assert isinstance(case.checks[0], Parsed)
    assert case.checks[0].function == "add_one!"


MISTAKES = [
    ('name = "add_one"', "", "code_generation.name", "`name` is missing"),
    ('name = "add_one"', 'name = ""', "code_generation.name", "`name` must not be empty"),
    ('name = "add_one"', "name = 5", "code_generation.name", "`name` must be text, not the number 5"),
    ('name = "add_one"', 'nme = "add_one"', "code_generation.nme", "unknown key `nme`"),
    ('version = "1.0"', "version = 1.0", "code_generation.version", "must be text, not the number 1.0"),
    ('version = "1.0"', "version = 2024-01-01", "code_generation.version", "must be text, not `2024-01-01`"),
    (
        'examples = ["add_one(1)"]',
        "examples = []",
        "code_generation.examples",
        "`examples` is empty, and `criteria` has",
    ),
    ('examples = ["add_one(1)"]', 'examples = "x"', "code_generation.examples", "must be a list"),
    ('examples = ["add_one(1)"]', 'examples = ["x", 5]', "code_generation.examples[1]", "`examples[1]` must be text"),
    ('examples = ["add_one(1)"]', 'examples = ["x"', "9:1", "this is not TOML"),
    ("imports = []", "imports = [", "8:1", "this is not TOML"),
    ("[code_generation]", "[code_generatoin]", "code_generatoin", "unknown key `code_generatoin`"),
    (
        "reference_solution",
        "unit_tests_setup = 5\nreference_solution",
        "code_generation.unit_tests_setup",
        "`unit_tests_setup` must be text, not the number 5",
    ),
    ('version = "1.0"', 'version = "1.0"\nlanguage = "jula"', "code_generation.language", "cannot be the text `jula`"),
    (
        'version = "1.0"',
        'version = "1.0"\nlanguage = "python"',
        "code_generation.language",
        "answers in python cannot be graded",
    ),
    ('name = "add_one"', 'name = "../add_one"', "code_generation.name", "`name` cannot be `../add_one`"),
]


@pytest.mark.parametrize(("old", "new", "place", "says"), MISTAKES)
def test_a_mistake_is_reported_with_its_place_or_its_path(
    old: str, new: str, place: str, says: str, tree: Tree
) -> None:
    result = loaded(tree, SOUND.replace(old, new))
    assert any(
        place in (f"{found.line}:{found.column}", found.path) and says in found.message for found in result.errors
    ), "\n".join(map(str, result.errors))


def test_examples_may_be_empty_where_no_criterion_is_about_them(tree: Tree) -> None:
    text = SOUND.replace(', "executed_examples"]', "]").replace('examples = ["add_one(1)"]', "examples = []")
    (case,) = loaded(tree, text).cases
    assert isinstance(case.checks[0], Parsed)
    assert case.checks[0].examples == ()


def test_another_name_than_the_directorys_is_a_warning(tree: Tree) -> None:
    result = loaded(tree, SOUND, "basics/other/definition.toml")
    assert [found.message for found in result.warnings] == ["`name` is `add_one`, and the directory is `other`"]


def test_an_unknown_criterion_is_a_warning(tree: Tree) -> None:
    result = loaded(tree, SOUND.replace('"parsed", ', '"parsd", '))
    assert ["unknown criterion `parsd`" in found.message for found in result.warnings] == [True]


def test_nothing_is_put_into_a_definition(tree: Tree) -> None:
    result = loaded(tree, SOUND.replace("add_one(1)", "${{ HOME }}"))
    assert result.diagnostics == ()
    assert isinstance(result.cases[0].checks[0], Parsed)
    assert "${{ HOME }}" in result.cases[0].checks[0].examples[0]


@pytest.mark.parametrize(
    "text", ["", "[", "a = " + "[" * 10_000, "a" + ".a" * 3000 + " = 1", "x = 1979-05-27", "\0", "a = inf"]
)
def test_a_file_that_is_something_else_is_refused(text: str, tree: Tree) -> None:
    result = loaded(tree, text)
    assert result.errors
    assert len(result.broken) == 1


def test_a_line_of_a_bracket_and_very_many_blanks_is_read_once(tree: Tree) -> None:
    result = loaded(tree, SOUND.replace("imports = []", f"imports = [\n[{' ' * 200_000}\n]]"))
    assert result.errors[0].path == "code_generation.imports[0]"

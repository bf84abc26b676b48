"""``${{ NAME }}`` in a case file."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.cases import Loaded
from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.items import Items
from gradebox.graders.documents.interpolation import filled, interpolate, references
from gradebox.graders.model.case import Case

ENVIRON = {"A": "one", "EMPTY": "", "REF": "${{ A }}"}


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain", "plain"),
        ("${{ A }}", "one"),
        ("${{A}}", "one"),
        ("<${{ A }}-${{  A  }}>", "<one-one>"),
        ("${{ EMPTY }}", ""),
        ("${{ GONE:- }}", ""),
        ("${{ GONE:-}}", ""),
        ("${{ GONE:-x y }}", "x y"),
        ("${{ A:-x }}", "one"),
        ("$${{ A }}", "${{ A }}"),
        ("${A} $A {{ A }}", "${A} $A {{ A }}"),
        # What another program's syntax means is not ours.
        ("${{ github.ref }}", "${{ github.ref }}"),
        # A value is not read again.
        ("${{ REF }}", "${{ A }}"),
    ],
)
def test_references_are_replaced_and_nothing_else(text: str, result: str) -> None:
    assert interpolate(text, ENVIRON) == (result, ())


def test_unset_variables_are_named() -> None:
    assert interpolate("${{ A }} ${{ B }} ${{ C }}", ENVIRON).unset == ("B", "C")
    assert references("${{ A }} $${{ B }} ${{ C:-x }}") == ("A", "C")


def test_text_numbers_and_lists_of_words_take_references(case_of: Callable[..., Case]) -> None:
    case = case_of(
        "criteria: be ${{ HOW }}\n"
        "limits: {memory: '${{ MEMORY }}', pids: '${{ PIDS }}'}\n"
        "execution: {threshold: '${{ THRESHOLD }}'}\n"
        "metadata: {deep: [{er: '${{ HOW }}'}]}\n"
        "assertions:\n"
        "- {type: code-grader, command: [run, '${{ HOW }}'], negate: '${{ NEGATE }}', stdin: grader}\n",
        HOW="nice; rm -rf /",
        MEMORY="512m",
        PIDS="32",
        THRESHOLD="0.5",
        NEGATE="true",
    )
    (check,) = case.checks
    assert case.criteria == "be nice; rm -rf /"
    assert (case.limits.memory_bytes, case.limits.pids, case.threshold) == (512 * 1024**2, 32, 0.5)
    assert case.metadata == {"deep": [{"er": "nice; rm -rf /"}]}
    assert isinstance(check, CodeGrader)
    assert check.negate is True
    assert check.command.argv == ("run", "nice; rm -rf /")


def test_source_code_arrives_unharmed(case_of: Callable[..., Case]) -> None:
    code = "f'${{{ A }}}' == \"\\\\\" + '${{ A }}'"
    case = case_of(f"language: python\nunit_tests:\n- |-\n  {code}\nunit_tests_setup: '${{{{ A }}}}'\n", A="x")
    (check,) = case.checks
    assert isinstance(check, Items)
    assert check.items[0].code == code
    assert check.setup == "${{ A }}"


@pytest.mark.parametrize("field", ["command", "setup", "teardown", "control"])
def test_no_reference_reaches_a_shell(field: str, load_text: Callable[..., Loaded]) -> None:
    text = f"assertions:\n- type: code-grader\n  command: [true]\n  {field}: echo ${{{{ A }}}}\n".replace(
        "  command: [true]\n", "" if field == "command" else "  command: ['true']\n"
    )
    loaded = load_text(text, A="; rm -rf /")
    assert ["is a line for a shell" in found.message for found in loaded.errors] == [True]


def test_a_default_is_not_put_into_a_shell_either(load_text: Callable[..., Loaded]) -> None:
    loaded = load_text("setup: 'echo ${{ A:-x }}'\nassertions: [{type: code-grader, command: [a]}]\n")
    assert [found.line for found in loaded.errors] == [1]


PIECES = st.lists(
    st.sampled_from(["${{", "$${{", "}}", "}", "{", "$", " ", "A", "GONE", ":-", "x", "\n"]), max_size=12
).map("".join)


@given(PIECES)
def test_what_is_a_reference_is_what_a_plain_pattern_takes_for_one(text: str) -> None:
    """It needs the square of a text's length, which is why it is not used."""
    plain = re.compile(r"(\$?)\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*(?::-([^}]*?))?\s*\}\}")

    def value(match: re.Match[str]) -> str:
        return match[0][1:] if match[1] else ENVIRON.get(match[2], match[3] or "")

    assert interpolate(text, ENVIRON).text == plain.sub(value, text)
    assert references(text) == tuple(match[2] for match in plain.finditer(text) if not match[1])


@pytest.mark.parametrize("piece", ["${{ A:-", "${{ A ", "${{ A:- ", "${{"])
def test_very_many_references_that_are_never_closed_are_looked_at_once(piece: str) -> None:
    for text in (piece * 100_000, piece * 100_000 + "} }"):
        assert interpolate(text, ENVIRON) == (text, ())
        assert references(text) == ()


def test_variables_are_filled_into_texts_at_any_depth_and_nothing_is_evaluated() -> None:
    data = {"a": ["{{x}} and {{ x }}", {"b": "{{y.z}}"}], "c": 1, "d": "{{x | upper}} ${{ x }} {{x.y}} {{gone}}"}
    assert filled(data, {"x": "{{y}}", "y": {"z": [1, "ä"]}}) == {
        "a": ["{{y}} and {{y}}", {"b": [1, "ä"]}],
        "c": 1,
        "d": "{{x | upper}} ${{ x }} {{x.y}} {{gone}}",
    }

"""Mutants of a small program in each language: golden lists, so that a change of a table is seen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gradebox.graders.authoring.mutants import mutation
from gradebox.graders.authoring.mutants.mutation import is_known, mutants_of
from gradebox.graders.errors import ExitCode, UsageRefused

GOLDEN = Path(__file__).parent / "golden"
PROGRAMS = sorted(path for path in GOLDEN.iterdir() if path.suffix != ".txt")


def listed(path: Path) -> str:
    source = path.read_text()
    found = mutants_of(path.name, source, range(1, source.count("\n") + 1))
    return "".join(f"{m.line} {m.function or '-'} {m.operator}: {m.before} => {m.after}\n" for m in found)


def test_there_is_a_program_in_each_language() -> None:
    assert {path.suffix for path in PROGRAMS} == {".py", ".js", ".ts", ".jl", ".sh"}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.suffix[1:])
def test_the_mutants_are_those_of_the_list(program: Path) -> None:
    assert listed(program) == program.with_suffix(f"{program.suffix}.txt").read_text()


def test_only_the_given_lines_are_mutated() -> None:
    assert {m.line for m in mutants_of("a.py", "a = 1\nb = 2\nc = 3\n", {2})} == {2}


def test_what_does_not_parse_is_no_mutant() -> None:
    # The raise is all that the body has, and a body needs a statement: `pass` is one.
    found = list(mutants_of("a.py", "def f():\n    raise E\n", {2}))
    assert [m.after for m in found] == ["pass"]
    for each in found:
        compile(each.text, "a.py", "exec")


def test_imports_documentation_and_types_stay_as_they_are() -> None:
    source = 'import a\n\ndef f(a: "int") -> int:\n    """Say 1."""\n    # 1 + 1\n'
    assert list(mutants_of("a.py", source, range(1, 9))) == []


def test_a_probe_ends_the_process_in_place_of_the_statement() -> None:
    source = "def f(a):\n    if a:\n        return 1\n    return 2\n"
    probes = {m.probe for m in mutants_of("a.py", source, {3})}
    assert probes == {source.replace("return 1", '__import__("os")._exit(97)')}


def test_files_of_other_languages_are_not_mutated() -> None:
    assert [is_known(path) for path in ("a.py", "b/c.ts", "README.md", "Makefile")] == [True, True, False, False]


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_julia", None)
    mutation._parser.cache_clear()
    with pytest.raises(UsageRefused) as caught:
        list(mutants_of("a.jl", "a = 1\n", {1}))
    mutation._parser.cache_clear()
    assert "gradebox[mutants]" in caught.value.remedy
    assert caught.value.exit_code == ExitCode.USAGE

"""Files that are made to take long or to say a million things: they are refused, with few words."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gradebox.graders.cases import Loaded, Severity, load
from gradebox.graders.documents.diagnostics import MOST_ERRORS, MOST_WARNINGS
from gradebox.graders.documents.positions import MAX_NODES
from gradebox.graders.documents.reader import MAX_FILE_BYTES

CASE = "id: a\ninput: x\nassertions: [{type: contains, value: x}]\n"
TOO_MANY = "too many mistakes before this"


def loaded(tmp_path: Path, text: str, name: str = "case.yaml") -> Loaded:
    (tmp_path / name).write_text(text)
    return load(tmp_path / name, environ={})


def lines(line: str, count: int) -> str:
    return "".join(line.format(n=n) + "\n" for n in range(count))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("#" * (MAX_FILE_BYTES + 1), "is larger than 8192 KiB"),
        (CASE + "note: [" + "a," * MAX_NODES + "]", f"more than {MAX_NODES} values"),
        ("a: &a [" + "x," * 1000 + "]\nb: [" + "*a," * 200 + "]", "aliases repeat more than"),
        ("[" * 100_000, "nested deeper than"),
        ("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [[[[[*a{n - 1}]]]]]\n" for n in range(1, 30)), "nested deeper than"),
        (CASE + "limits: {output: 99999999t}", "must be at most"),
        (CASE + "limits: {memory: 99999999t}", "must be at most"),
        (CASE + "limits: {disk: 99999999t}", "must be at most"),
        (CASE + "limits: {cpus: 1.0e+300}", "must be at most"),
        (CASE + "limits: {pids: 99999999999999999999}", "must be at most"),
        (CASE + lines("k{n}: v", 5000), TOO_MANY),
        (CASE + "tags:\n" + lines("- 1", 5000), TOO_MANY),
        (CASE + "env:\n" + lines("  A{n}: ${{{{ B{n} }}}}", 5000), TOO_MANY),
        ("id: a\ninput: x\nassertions:\n" + lines("- {{type: contians}}", 900), TOO_MANY),
        ("id: a\ninput: x\nassertions:\n" + lines("- {{type: contains, value: x}}", 1001), "more than 1000 checks"),
        ("id: a\ninput: x\nrubrics:\n" + lines("- {{id: r{n}}}", 5000), TOO_MANY),
        (CASE + "workspace: " + "a/" * 1_000_000, "does not exist"),
        (CASE + f"execution: {{targets: [{', '.join(f't{n}' for n in range(101))}]}}", "more than 100 targets"),
        (CASE.replace("contains, value: x", f"regex, value: {'(' * 20_000}"), "is longer than 10000 characters"),
        (CASE.replace("contains, value: x", "regex, value: '((a{1000}){1000}){1000}'"), "expands to more than"),
    ],
)
def test_a_bomb_is_refused_in_few_words(tmp_path: Path, text: str, says: str) -> None:
    found = loaded(tmp_path, text)
    assert not found.cases
    assert says in found.errors[-1].message
    assert len(found.diagnostics) <= MOST_ERRORS + 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.yaml", lines("- {{id: a{n}, inptu: x}}", 3000)),
        ("x.yaml", lines("- words", 3000)),
        ("x.jsonl", lines('{{"id": "a{n}"}}', 3000)),
        ("x.jsonl", lines("no json", 3000)),
        ("EVAL.yaml", "tests:\n" + lines("- {{id: a{n}}}", 3000)),
    ],
)
def test_a_file_of_nothing_but_broken_cases_is_given_up(tmp_path: Path, name: str, text: str) -> None:
    found = loaded(tmp_path, text, name)
    assert not found.cases
    assert 1000 < len(found.errors) < 1100
    # The last one says that the rest was not read, so that nobody takes it for sound.
    assert "the rest is not read" in max(found.errors, key=lambda error: error.line).message


def test_a_suite_that_names_nothing_is_given_up(tmp_path: Path) -> None:
    found = loaded(tmp_path, "tests:\n" + lines("- file://x{n}.yaml", 3000), "EVAL.yaml")
    assert len(found.errors) == MOST_ERRORS + 1
    assert TOO_MANY in found.errors[-1].message


def test_very_many_warnings_break_nothing_and_are_not_all_told(tmp_path: Path) -> None:
    found = loaded(tmp_path, CASE + "metadata:\n" + lines("  k{n}: no", 5000))
    assert len(found.cases) == 1
    assert len(found.diagnostics) == MOST_WARNINGS + 1
    assert found.diagnostics[-1].severity is Severity.WARNING
    assert "too many warnings before this" in found.diagnostics[-1].message


def test_a_broken_directory_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    for number in range(30):
        directory = tmp_path / f"{number:02}"
        directory.mkdir()
        (directory / "case.yaml").write_text(CASE.replace("id: a\n", "") + (lines("k{n}: v", 100) if number else ""))
    found = load(tmp_path, environ={})
    assert [case.id for case in found.cases] == ["00"]
    assert len(found.broken) == 29


def test_many_sound_checks_of_one_name_are_numbered(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, "id: a\ninput: x\nassertions:\n" + lines("- {{type: contains, value: x}}", 1000)).cases
    assert [check.name for check in case.checks] == ["contains", *(f"contains-{n}" for n in range(2, 1001))]


def test_validating_imports_nothing_of_engines(tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "absent = ('docker', 'structlog', 'asyncio', 'gradebox.graders.grading.grade')\n"
        "from gradebox.graders.cli.main import run\n"
        "run(['validate', sys.argv[1], '--json', '--quiet'])\n"
        "print(json.dumps([name for name in absent if name in sys.modules]))"
    )
    (tmp_path / "case.yaml").write_text(CASE)
    argv = [sys.executable, "-c", code, str(tmp_path / "case.yaml")]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []

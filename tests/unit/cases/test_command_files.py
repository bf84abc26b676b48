"""Commands and items that no candidate can pass are told when the case is loaded, at the place of the check."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from gradebox.graders.cases import Loaded, load

Tree = Callable[[Mapping[str, str | bytes]], Path]

SCRIPTS: Mapping[str, bytes] = {
    "grading/judge.py": b"pass\n",
    "grading/windows.sh": b"#!/bin/sh\r\nset -e\r\n",
    "grading/nothing-says.sh": b"true\n",
    "grading/by-name.sh": b"#!python3\n",
    "grading/good.sh": b"#!/bin/sh\ntrue\n",
    "scripts/check.ts": b"",
    "workspace/run.sh": b"#!/bin/sh\ntrue\n",
}
EXECUTABLE = ("grading/windows.sh", "grading/nothing-says.sh", "grading/by-name.sh", "grading/good.sh")


class Wrong(NamedTuple):
    """A command, and what is said of it; nothing where it is fine."""

    command: str
    says: str = ""
    hint: str = ""
    more: str = ""


@pytest.fixture
def said(tree: Tree) -> Callable[[str], Loaded]:
    """Load a case with hidden scripts from its text."""

    def load_it(text: str) -> Loaded:
        root = tree({**SCRIPTS, "case.yaml": text})
        for script in EXECUTABLE:
            (root / script).chmod(0o755)
        return load(root)

    return load_it


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong("[python3, grading/jugde.py]", "grading has no such file", "Did you mean `grading/judge.py`?"),
        Wrong("python3 grading/jugde.py", "grading has no such file", "Did you mean `grading/judge.py`?"),
        Wrong("[uv, run, python, grading/jugde.py]", "grading has no such file", "Did you mean `grading/judge.py`?"),
        Wrong(
            "uv run --offline python grading/jugde.py", "grading has no such file", "Did you mean `grading/judge.py`?"
        ),
        Wrong("[env, A=b, timeout, '5', python3, grading/jugde.py]", "grading has no such file", "grading/judge.py"),
        Wrong("[sh, -c, python3 grading/jugde.py]", "grading has no such file", "Did you mean `grading/judge.py`?"),
        Wrong("[bun, run, scripts/chekc.ts]", "the case has no such file", "Did you mean `scripts/check.ts`?"),
        Wrong("[bun, scripts/zzzzzzz.ts]", "the case has no such file", "correct the path"),
        Wrong("[node, scripts/chekc.js]", "the case has no such file", "Did you mean `scripts/check.ts`?"),
        Wrong("[npx, tsx, scripts/chekc.ts]", "the case has no such file", "Did you mean `scripts/check.ts`?"),
        Wrong("[sh, scripts/check.sh]", "the case has no such file", "Did you mean `scripts/check.ts`?"),
        Wrong("[python3, -m, grading.jugde]", "the case has no grading/jugde.py", "Did you mean `grading.judge`?"),
        Wrong("[grading/other/x]", "grading has no such file", "correct the path"),
        Wrong("[python3, ../judge.py]", "`../judge.py`, which does not exist", "must lie in their repository"),
        Wrong("[python3, ../../judge.py]", "`../../judge.py`, which does not exist", more=", cwd: sub"),
        Wrong("[python3, ../aboev/x.py], cwd: .", "`../aboev/x.py`, which does not exist"),
        Wrong("[python3 grading/judge.py]", "one word with blanks", "[python3, grading/judge.py]"),
        Wrong("[grading/judge.py]", "`grading/judge.py` is not executable", "`chmod +x grading/judge.py`"),
        Wrong("[sh, grading/windows.sh]", "Windows line endings", "sed"),
        Wrong("grading/windows.sh", "Windows line endings"),
        Wrong("[grading/nothing-says.sh]", "does not begin with `#!`", "#!/bin/sh"),
        Wrong("[grading/by-name.sh]", "no interpreter by its whole path", "/usr/bin/env"),
    ],
    ids=lambda wrong: wrong.command,
)
def test_a_command_that_cannot_work_is_an_error(wrong: Wrong, said: Callable[[str], Loaded]) -> None:
    loaded = said(f"assertions:\n  - {{type: code-grader, command: {wrong.command}{wrong.more}}}\n")
    (found,) = loaded.errors
    assert (found.line, found.column) == (2, 5)
    assert wrong.says in found.message
    assert wrong.hint in found.hint
    assert loaded.cases == ()


@pytest.mark.parametrize(
    "command",
    [
        "[python3, grading/judge.py]",
        "[grading/good.sh]",
        "[sh, run.sh]",
        "[./run.sh]",
        f"[grader, grading/{'x' * 5000}/*]",
        "[python3, ../grading/judge.py], cwd: sub",
        "[python3, judge.py], cwd: grading",
        "[python3, -m, pytest, --junitxml=grading/report.xml]",
        "[pytest, grading, grading/test_*.py]",
        "test ! -e grading/secret && ./made-by-the-candidate",
        "[python3, tests/test_app.py]",
        "[python3, grading/jugde.py], setup: sh make.sh",
        "'[ -f ../x ] || exit 0'",
        "[/opt/tool/run]",
        "[python3, -m, grading.judge]",
        "[python3, -m, pytest, grading]",
        "[bun, run, scripts/check.ts]",
        "[npx, tsx, scripts/check.ts]",
        "[uv, run, grading/judge.py]",
        "cd grading && python3 judge.py",
        "[bun, run, check]",
        "[python3, main.py]",
        "[uv, run, python, src/main.py]",
        "[bun, run, scripts/made.ts], setup: sh make.sh",
    ],
)
def test_a_command_that_may_work_is_left_alone(command: str, said: Callable[[str], Loaded]) -> None:
    assert said(f"assertions:\n  - {{type: code-grader, command: {command}}}\n").diagnostics == ()


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        ("[python3, gradin/judge.py]", "Did you mean `grading/judge.py`?"),
        ("[python3, run.py, grading/jugde.py]", "Did you mean `grading/judge.py`?"),
    ],
)
def test_what_is_only_likely_is_a_warning(command: str, hint: str, said: Callable[[str], Loaded]) -> None:
    loaded = said(f"assertions:\n  - {{type: code-grader, command: {command}}}\n")
    assert [found.hint for found in loaded.warnings] == [hint]
    assert (len(loaded.cases), loaded.errors) == (1, ())


@pytest.mark.parametrize(
    ("items", "lines"),
    [
        ("language: python\nexamples: [assert f(1, 2) == 3]\n", [2, 2]),
        ('language: python\nexamples:\n  - assert f("a #b") == 1\n', [3]),
        ("language: python\nassertions:\n  - {type: unit-tests, items: [assert f(1]}\n", [3]),
        ("language: javascript\nexamples: [f(1, 2)]\n", [2]),
        ('language: python\nexamples: ["assert f(1, 2) == 3"]\n', []),
        ("language: javascript\nexamples: ['f(\")\")', 'g(\"(\")']\n", []),
        ("language: bash\nexamples: ['case a in a) ;; esac', 'case b in b) ;; esac']\n", []),
    ],
)
def test_items_that_yaml_has_cut_are_warned_of(items: str, lines: list[int], said: Callable[[str], Loaded]) -> None:
    loaded = said(items)
    assert [found.line for found in loaded.warnings] == lines
    assert (len(loaded.cases), loaded.errors) == (1, ())


def test_a_script_that_the_task_names_is_the_submissions(said: Callable[[str], Loaded]) -> None:
    text = (
        "input: Write scripts/convert.ts.\nassertions: [{type: code-grader, command: [bun, run, scripts/convert.ts]}]\n"
    )
    assert said(text).diagnostics == ()


def test_a_file_above_the_case_has_a_suggestion(tree: Tree) -> None:
    text = "assertions: [{type: code-grader, command: [bun, run, ../scripts/chekc.ts]}]\n"
    root = tree({"case/case.yaml": text, "scripts/check.ts": ""})
    (found,) = load(root / "case").errors
    assert found.hint == f"Did you mean {root / 'scripts/check.ts'}?"


IMPORTS = """import { a } from "./helper";
import type { T } from "./types";
import { b } from '../src/parser';
export * from "./lib/mising.js";
const c = require("./other");
// from "./nothing"
const path = "./data/out.txt";
"""


def test_imports_of_graders_that_lead_nowhere_have_their_place(tree: Tree) -> None:
    files = {
        "case.yaml": """
assertions:
  - {name: ts, type: code-grader, command: [bun, run, grading/check.ts]}
  - {name: py, type: code-grader, command: [python3, -m, grading.judge]}
  - {name: direct, type: code-grader, command: [python3, grading/judge.py]}
  - {name: jl, type: code-grader, command: [julia, grading/check.jl]}
""",
        "grading/check.ts": IMPORTS,
        "grading/lib/missing.ts": "",
        "grading/other.mjs": 'import "./inner";\nimport { run } from "./gradebox_candidate.mjs";\n',
        "grading/judge.py": "import os\nfrom .tools import x\nfrom . import y\nimport solution\n",
        "grading/check.jl": 'include("helper.jl")\ninclude("../solution.jl")\ninclude("gradebox_candidate.jl")\n',
        "workspace/src/parser.ts": "",
    }
    loaded = load(tree(files))
    found = {(d.file.name, d.line, d.column): (d.message.partition(" ")[0], d.hint) for d in loaded.warnings}
    write = "Write the file, or correct the path."
    assert found == {
        ("check.ts", 1, 20): ("`./helper`", write),
        ("check.ts", 4, 16): ("`./lib/mising.js`", "Did you mean `missing`?"),
        ("other.mjs", 1, 9): ("`./inner`", write),
        ("judge.py", 2, 6): ("`.tools`", write),
        ("check.jl", 1, 10): ("`helper.jl`", write),
    }
    assert (len(loaded.cases), loaded.errors) == (1, ())


CASE = "input: x\nimage: i\nexpected_output: y\nassertions:\n  - {{type: code-grader, command: {}{}}}\n"


@pytest.mark.parametrize(
    ("command", "more", "program"),
    [
        ("python3 slug.py x", "", "slug.py"),
        ('test "$(python3 run.sh)" = y', "", "run.sh"),
        ("sh new/run.sh", ", cwd: app", "new/run.sh"),
        ("python3 slug.py x", ", stdin: none", ""),
        ("python3 slug.py x", ", stdin: grader", ""),
        ("python3 grading/judge.py slug.py", "", ""),
        ("pytest slug.py", "", ""),
    ],
)
def test_a_case_hears_of_a_command_that_is_not_told_what_is_expected(
    tree: Tree, command: str, more: str, program: str
) -> None:
    text = CASE.format(json.dumps(command), more)
    found = load(tree({**SCRIPTS, "reference/run.sh": b"", "case.yaml": text})).diagnostics
    told = [one.message for one in found if "stdin" in one.message]
    wanted = f"the command runs `{program}` of the submission, so its stdin has no `expected_output`"
    assert told == ([wanted] if program else [])

"""What interpreters print about something that is missing is read for what it is; tests/docker has the real ones."""

from __future__ import annotations

import pytest

from gradebox.graders.languages.complaints import Complaint, complaints

TRACEBACK = """Traceback (most recent call last):
  File "<frozen runpy>", line 88, in _run_code
  File "/workspace/grading/a.py", line 1, in <module>
    import helper
"""
RUBY = "cannot load such file -- nope (LoadError)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{TRACEBACK}ModuleNotFoundError: No module named 'helper'", ("module", "helper", "/workspace/grading/a.py")),
        ("E   ModuleNotFoundError: No module named 'a.b'", ("module", "a.b", "")),
        ("/usr/bin/python3: No module named nope", ("module", "nope", "")),
        ("python3: can't open file '/workspace/x.py': [Errno 2] No such file", ("file", "/workspace/x.py", "")),
        ('  File "g/a.py", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax', ("source", "g/a.py", "")),
        (f"{TRACEBACK}NameError: name 'x' is not defined", ("name", "x", "/workspace/grading/a.py")),
        (f"{TRACEBACK}ImportError: cannot import name 'x' from 'os' (/l/os.py)",
         ("target", "/l/os.py", "/workspace/grading/a.py")),
        ("# Error [E]: Cannot find module '/w/x.mjs' imported from /w/a.mjs", ("module", "/w/x.mjs", "/w/a.mjs")),
        ("Error: Cannot find module './x'\nRequire stack:\n- /w/a.cjs\n", ("module", "./x", "/w/a.cjs")),
        ("\x1b[31merror: Cannot find module './x' from '/w/a.ts'\x1b[0m", ("module", "./x", "/w/a.ts")),
        ('error: Module not found "x.ts"', ("file", "x.ts", "")),
        ("error: Could not find an existing 'vitest' binary to run. Stopping", ("program", "vitest", "")),
        ("sh: 1: jq: not found", ("program", "jq", "sh")),
        ("a.sh: line 3: jq: command not found", ("program", "jq", "a.sh")),
        ("env: \u2018nope\u2019: No such file or directory", ("program", "nope", "")),
        ("ERROR: LoadError: ArgumentError: Package Nope not found in current path:", ("module", "Nope", "")),
        ("a.c:1:10: fatal error: nope.h: No such file or directory", ("module", "nope.h", "a.c")),
        ("cc1plus: fatal error: x.cpp: No such file or directory", ("file", "x.cpp", "")),
        ("/usr/bin/ld: cannot find -lnope: No such file or directory", ("module", "nope", "")),
        ("g/A.java:1: error: package nope does not exist\nimport nope.X;", ("module", "nope", "g/A.java")),
        ("error: file not found: B.java", ("file", "B.java", "")),
        ("Error: Could not find or load main class Main", ("module", "Main", "")),
        ("a.go:2:8: package nope/x is not in std (/usr/lib/go-1.24/src/nope/x)", ("module", "nope/x", "a.go")),
        ("b.go:2:8: no required module provides package n.org/x; to add it:", ("module", "n.org/x", "b.go")),
        ("no required module provides package x.go; to add it:", ("file", "x.go", "")),
        ("error[E0463]: can't find crate for `nope`", ("module", "nope", "")),
        ("error: couldn't read x.rs: No such file or directory (os error 2)", ("file", "x.rs", "")),
        (f"<internal:/r.rb>:9:in `require': {RUBY}\n\tfrom <internal:/r.rb>:9:in `require'\n\tfrom a.rb:1:in `<main>'",
         ("module", "nope", "a.rb")),
        ("ruby: No such file or directory -- x.rb (LoadError)", ("file", "x.rb", "")),
        ("PHP Warning:  require(nope.php): Failed to open stream: No such file", ("file", "nope.php", "")),
        ("Could not open input file: x.php", ("file", "x.php", "")),
        ("Error in library(nope) : there is no package called \u2018nope\u2019", ("module", "nope", "")),
        ("Fatal error: cannot open file 'x.R': No such file or directory", ("file", "x.R", "")),
        ("lua: a.lua:1: module 'nope' not found:\n\tno field", ("module", "nope", "a.lua")),
        ("lua: cannot open x.lua: No such file or directory", ("file", "x.lua", "")),
        ("Can't locate Nope/X.pm in @INC (you may) at a.pl line 1.", ("module", "Nope/X.pm", "a.pl")),
        ('Can\'t open perl script "x.pl": No such file or directory', ("file", "x.pl", "")),
    ],
)  # fmt: skip
def test_a_complaint_names_what_is_missing_and_where(text: str, expected: tuple[str, str, str]) -> None:
    assert complaints(f"before\n{text}\nafter\n") == {Complaint(*expected)}


@pytest.mark.parametrize(
    "text",
    [
        "AssertionError: expected No module named 'x'",
        "it says: ModuleNotFoundError: No module named 'x'",
        "SyntaxError: The requested module './a.mjs' does not provide an export named 'add'",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nAssertionError',
        "not found",
    ],
)
def test_other_failures_are_no_complaints(text: str) -> None:
    assert complaints(text, "") == frozenset()


def test_of_a_long_output_both_ends_are_read_and_not_all_is_listed() -> None:
    first, last, middle = (f"sh: 1: {name}: not found\n" for name in ("first", "last", "middle"))
    filler = "x\n" * 100_000
    assert {found.name for found in complaints(f"{first}{filler}{middle}{filler}{last}")} == {"first", "last"}
    many = "".join(f"sh: 1: p{number}: not found\n" for number in range(1000))
    assert len(complaints(many)) == 50


def test_no_text_takes_long_to_read() -> None:
    for hostile in (
        '  File "a", line 1\n' * 5000,
        "a:1: in x\n" * 5000,
        "a" * 100_000,
        "a: " * 30_000,
        "/x:1\n" * 9000,
    ):
        complaints(hostile)

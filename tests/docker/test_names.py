"""Names that a candidate made: none leads its grader where the candidate cannot read, and honest ones stay."""

from __future__ import annotations

import shlex
from dataclasses import replace

import hostile_trees
import pytest
from apart_sandbox import SECRET, ApartGrader

from gradebox.sandbox.archive import ArchiveEntry, EntryKind, file_entry
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import GRADER_TMPDIR, HOME


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """One sandbox serves all tests."""


@pytest.fixture
def grader(opened: Sandbox) -> ApartGrader:
    return ApartGrader(opened, [file_entry("app.py", b"pass\n"), file_entry("d/e/file", b"text\n")])


_LEADS_OUT = {
    "link": f"ln -s {SECRET} out",
    "relative": "ln -s grading/secret out",
    "from a directory": "ln -s ../../grading/secret d/e/out; ln -s d/e/out out",
    "directory": "ln -s ../grading d/g; ln -s d/g/secret out",
    "directory of all": "ln -s / d/root; ln -s d/root/workspace/grading/secret out",
    "moved later": "ln -s ../../grading/secret d/out; mv d/out d/e/out; ln -s d/e/out out",
    "by /proc": "ln -s /proc/self/cwd/grading/secret out",
    "environment": "ln -s /proc/self/environ out",
    "its files": f"ln -s {GRADER_TMPDIR}/expected out",
    "to come": f"ln -s {GRADER_TMPDIR}/later out",
    "to nothing": "ln -s later d/e/out; ln -s d/e/out out",
    "out of where it is": "ln -s ../expected out",
    "through a file": "ln -s app.py/later out",
    "loop": "ln -s d/out out; ln -s ../out d/out",
    "pipe": "mkfifo out",
    "link to a pipe": "mkfifo d/pipe; ln -s d/pipe out",
    "socket": "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"out\")'",
    "device": "ln -s /dev/zero out",
    "terminal": "ln -s /dev/stdin out",
}


@pytest.mark.parametrize("made", _LEADS_OUT.values(), ids=_LEADS_OUT)
def test_what_a_program_made_leads_its_grader_nowhere(grader: ApartGrader, made: str) -> None:
    line = f"""
        echo 4711 > $TMPDIR/expected; export SECRET=4711
        candidate sh -c {shlex.quote(made)}
        echo 4711 > $TMPDIR/later
        timeout 2 head -c 100 out 2> /dev/null || echo gone; test -e out || echo removed; cat d/e/file
    """
    assert grader.shell(line).split() == ["gone", "removed", "text"]
    assert grader.outcome.removed


@pytest.mark.parametrize("target", ["grading/secret", SECRET, "/proc/self/environ", "grading", "."])
def test_a_link_that_was_submitted_leads_nowhere(opened: Sandbox, target: str) -> None:
    submitted = ArchiveEntry("out", EntryKind.LINK, target=target)
    grader = ApartGrader(
        opened, [submitted, file_entry("d/file", b"text\n"), submitted.__class__("d/l", EntryKind.LINK, target="file")]
    )
    assert grader.shell("cat out out/secret out/grading/secret 2> /dev/null; cat d/l") == "text"
    assert grader.outcome.removed == ("/workspace/out",)


def test_a_directory_with_something_hidden_is_no_target(grader: ApartGrader) -> None:
    """Else a search of all files below would find it."""
    line = """
        candidate sh -c 'ln -s .. d/up; ln -s /tmp d/tmp; ln -s . d/e/fine; ln -s /usr/share/doc d/doc'
        ls d d/e; find -L d -name secret 2> /dev/null
    """
    assert grader.shell(line).split() == ["d:", "doc", "e", "d/e:", "file", "fine"]


def test_honest_links_stay(grader: ApartGrader) -> None:
    made = f"""
        ln -s e d/f; ln -s d/f/file one; ln -s /workspace/d/e/file two; ln -s ../../app.py d/e/three; ln -s d/f dir
        ln -s /usr/bin/env env; ln -s /dev/null null
        mkdir -p ~/x; echo kept > ~/x/kept; ln -s {HOME}/x/kept home; ln d/e/file hard; ln -s mine of-the-grader
        echo closed > closed; chmod 600 closed; ln -s closed to-closed
    """
    line = f"""
        echo mine > mine; candidate sh -c {shlex.quote(made)}
        cat one two dir/file hard of-the-grader; candidate cat home; test -x env; cat null
        for name in d/e/three to-closed; do test -L $name || echo gone; done
        candidate cat to-closed
    """
    assert grader.shell(line).split() == ["text", "text", "text", "text", "mine", "kept", "closed"]
    assert grader.outcome.removed == ()


def test_a_grader_reads_what_was_submitted_with_closed_permissions(opened: Sandbox) -> None:
    """An honest archive has them; the owner in the sandbox is another user than the grader."""
    closed = [
        ArchiveEntry("d", EntryKind.DIRECTORY, 0o700),
        replace(file_entry("d/file", b"text\n"), mode=0o600),
        replace(file_entry("d/run", b"#!/bin/sh\necho run\n"), mode=0o700),
        replace(file_entry("fixed", b""), mode=0o444),
    ]
    line = "cat d/file; d/run; stat -c %a d d/file d/run fixed; candidate sh -c 'echo more > d/file'; cat d/file"
    assert ApartGrader(opened, closed).shell(line).split() == ["text", "run", "775", "664", "775", "444", "more"]


def test_a_grader_reads_what_was_written_before_it_got_its_name(grader: ApartGrader) -> None:
    """As libraries write files and directories: nobody sees half of one. For the next program, all is as it was."""
    writes = """
import os, tempfile
for place in (".", "d"):
    with tempfile.NamedTemporaryFile("w", dir=place, delete=False) as file: print("made", file=file)
    os.replace(file.name, f"{place}/result")
os.umask(0o077); os.mkdir("keys"); open("keys/key", "w").close(); open(os.path.expanduser("~/key"), "w").close()
"""
    line = f"""
        candidate python3 -c {shlex.quote(writes)}; cat result d/result; stat -c %a result keys keys/key
        candidate stat -c %a result keys keys/key {HOME}/key
        candidate sh -c 'echo more >> result; chmod 600 d/e/file'; cat result; ls keys
        candidate stat -c %a result keys
    """
    told = ["made", "made", "644", "755", "644", "600", "700", "600", "600", "made", "more", "key", "600", "700"]
    assert grader.shell(line).split() == told


def test_what_a_grader_cannot_have_is_there_for_the_next_program(grader: ApartGrader) -> None:
    """Locks are links to nothing, or pipes."""
    line = """
        candidate sh -c 'mkdir locks; ln -s ada locks/db; mkfifo -m 640 locks/mail; ln -s ../later d/out'
        ls locks; test -e d/out || echo nothing
        candidate sh -c 'readlink locks/db d/out; stat -c %A locks/mail; ln -s ben locks/db 2> /dev/null || rm locks/db'
        ls locks; candidate ls locks
        mkdir mine; candidate ln -s mine locks/db; rm -r mine; candidate true; ls locks
    """
    told = ["nothing", "ada", "../later", "prw-r-----", "mail"]
    assert grader.shell(line).split() == told
    assert sorted(grader.outcome.removed) == [f"/workspace/{name}" for name in ("d/out", "locks/db", "locks/mail")]


def test_who_has_taken_a_name_keeps_it(grader: ApartGrader) -> None:
    line = "candidate ln -s nothing one; echo mine > one; candidate test -L one || cat one"
    assert grader.shell(line) == "mine"


def test_a_link_is_looked_at_again_when_it_leads_to_something_else(grader: ApartGrader) -> None:
    line = """
        echo 1 > later; candidate ln -s later out; test -L out && echo kept
        rm later; (umask 077; echo 4711 > later); candidate true; test -L out || echo removed
    """
    assert grader.shell(line).split() == ["kept", "removed"]


def test_what_is_delivered_afterwards_is_not_reached_by_an_older_link(grader: ApartGrader) -> None:
    """A step of the candidate goes before a step of the grader, which brings its files."""
    assert grader.shell("candidate ln -s grading/more/secret out; test -L out || echo removed") == "removed"
    made = "mkdir hidden; echo 1 > hidden/secret; ln -s hidden/secret out"
    assert grader.shell(f"candidate sh -c '{made}'; test -L out && echo kept") == "kept"
    grader.sandbox.put([file_entry("hidden/secret", b"4711\n")], protect=True, grader=grader.uid)
    assert grader.shell("cat out 2> /dev/null || cat hidden/secret; test -L out || echo removed").split() == [
        "4711",
        "removed",
    ]


def test_a_program_is_looked_at_when_the_last_one_has_ended(grader: ApartGrader) -> None:
    line = """
        candidate sleep 1 & candidate ln -s grading/secret out; wait; test -L out || echo removed
    """
    assert grader.shell(line) == "removed"


def test_very_many_names_take_no_longer_than_making_them(grader: ApartGrader) -> None:
    many = "import os\nfor i in range(100_000): open(f'd/{i}', 'w').close()\nos.symlink('../grading/secret', 'd/out')"
    line = f"""
        begun=$(date +%s%N); candidate python3 -c {shlex.quote(many)}; test -L d/out || echo removed
        half=$(date +%s%N); candidate true; last=$(date +%s%N)
        test $((last - half)) -lt $((half - begun)) && echo fast
    """
    assert grader.shell(line).split() == ["removed", "fast"]


def test_a_long_way_down_is_no_obstacle(grader: ApartGrader) -> None:
    deep = "import os\nos.chdir('d')\nfor i in range(3000): os.mkdir('x'); os.chdir('x')\nos.symlink('/', 'out')"
    line = f"candidate python3 -c {shlex.quote(deep)}; find d -type l; candidate true; find d -type d | wc -l"
    [count] = grader.shell(line).split()
    assert 1500 < int(count) < 2100


def test_a_program_that_makes_nothing_costs_little(grader: ApartGrader) -> None:
    program = """
import subprocess, time
taken = []
for _ in range(100):
    begun = time.perf_counter()
    subprocess.run(["candidate", "true"])
    taken.append(time.perf_counter() - begun)
print(sorted(taken)[10] < 0.05)
"""
    assert grader.python(program) == "True"


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_lead_nowhere_else_and_lose_nothing(grader: ApartGrader, seed: int) -> None:
    words = [hostile_trees.GRADER, hostile_trees.BUILDER, hostile_trees.CHECKER, str(seed), "6", "60"]
    printed = grader.shell(f"exec python3 -c {shlex.join(words)}", errors=True)
    assert printed == ""
    assert grader.outcome.stderr.text().count("looked") == 6


def test_a_hidden_file_has_a_time_that_nobody_knows(grader: ApartGrader) -> None:
    """Who compares the size and the time of two files takes a copy of any file for the expected one."""
    grader.sandbox.put([file_entry("grading/other", b"4712\n")], protect=True, grader=grader.uid)
    grader.sandbox.put([file_entry("shown", b"4713\n")], protect=True)
    times = grader.shell("stat -c %y grading/secret grading/other shown d/e/file | cut -d' ' -f2 | cut -d. -f2").split()
    assert times[0] == times[1] != "0" * 9
    assert times[2:] == ["0" * 9] * 2


def test_a_link_of_the_case_that_is_protected_stays(opened: Sandbox) -> None:
    grader = ApartGrader(opened)
    grader.sandbox.put([ArchiveEntry("all", EntryKind.LINK, target=".")], protect=True)
    assert grader.shell("test -L all && cat all/grading/secret") == "4711"

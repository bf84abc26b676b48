"""What `candidate` passes on to its program: streams without the grader's descriptors, signals, and the end of all."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from apart_sandbox import ApartGrader

from gradebox.graders.languages.inside.candidate import gradebox_candidate
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import REPORT_VARIABLE

_MODULE = Path(gradebox_candidate.__file__).read_bytes()


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """One sandbox serves all tests."""


@pytest.fixture
def grader(opened: Sandbox) -> ApartGrader:
    return ApartGrader(opened)


def python(program: str) -> str:
    return f"candidate python3 -c {shlex.quote(program)}"


_READS = {
    "what is left": "import sys; print(sys.stdin.read())",
    "from the beginning": "import os; print(os.pread(0, 100, 0).decode())",
    "sought": "import sys; sys.stdin.seek(0); print(sys.stdin.read())",
}


@pytest.mark.parametrize("program", _READS.values(), ids=_READS)
def test_a_loop_over_a_hidden_file_gives_the_program_nothing_of_it(grader: ApartGrader, program: str) -> None:
    line = f"""
        printf '1 hidden\\n2 hidden\\n3 hidden\\n' > $TMPDIR/cases
        while read -r number answer; do echo $number; {python(program)} 2> /dev/null; done < $TMPDIR/cases
    """
    assert grader.shell(line).split() == ["1", "2", "3"]


def test_a_file_for_the_program_is_read_by_it_alone(grader: ApartGrader) -> None:
    """It may seek, map and measure it, as a program does that reads fast; it cannot write it."""
    program = "import mmap, os; print(mmap.mmap(0, os.fstat(0).st_size, access=1)[:].decode(), end='')"
    writes = "import os\ntry: os.write(0, b'x')\nexcept OSError: print('refused')"
    line = f"""
        echo given > $TMPDIR/in; run() {{ candidate "$@"; }}
        {python(program)} < $TMPDIR/in; run cat < $TMPDIR/in; {python(writes)} <> $TMPDIR/in; cat $TMPDIR/in
        rm $TMPDIR/in; run cat <<< here; echo piped | run cat
    """
    assert grader.shell(line).split() == ["given", "given", "refused", "given", "here", "piped"]


_WRITES = {
    "cut": "os.ftruncate(1, 0)",
    "from the beginning": "os.lseek(1, 0, 0); os.write(1, b'forged')",
    "opened again": "os.open('/proc/self/fd/1', os.O_RDWR | os.O_TRUNC)",
    "read": "print(os.pread(1, 100, 0))",
}


@pytest.mark.parametrize("program", _WRITES.values(), ids=_WRITES)
def test_a_file_that_the_grader_writes_only_grows(grader: ApartGrader, program: str) -> None:
    line = f"""
        {{ echo mine; {python(f"import os; {program}")}; {python("print('theirs')")}; echo more; }} > log 2> /dev/null
        {{ {python("import os, sys; print(1, flush=True); os.write(2, b'2'); print(3)")}; }} > both 2>&1
        cat log both
    """
    assert grader.shell(line).split() == ["mine", "theirs", "more", "1", "23"]


def test_nothing_that_a_program_prints_is_in_the_report_of_the_check(grader: ApartGrader) -> None:
    """The report is a file that the grader's script makes while it runs, with all of its own output."""
    line = f"""
        export {REPORT_VARIABLE}=/workspace/report.tap
        fails() {{ echo "not ok 1"; }}
        {{ echo 1..1; candidate echo "ok 1"; candidate sh -c 'echo "ok 2" >&2' 2>&1; fails; }} > report.tap 2> log
        {{ candidate echo "ok 3" 2>&1; }} >> report.tap; candidate echo "seen"; cat report.tap log
    """
    assert grader.shell(line) == "seen\n1..1\nnot ok 1\nok 1"


def test_all_that_a_program_has_printed_is_in_the_file_when_it_has_ended(grader: ApartGrader) -> None:
    line = f"{python('print(chr(120) * 5_000_000)')} > out; wc -c < out; {python('print(1)')} >> out; wc -c < out"
    assert grader.shell(line).split() == ["5000001", "5000003"]


def test_a_program_notices_that_its_file_takes_no_more(grader: ApartGrader) -> None:
    program = "import sys\nfor i in range(1_000_000): sys.stdout.write('x' * 100_000)"
    line = f"(ulimit -f 100; {python(program)} > out 2> /dev/null; echo $?); wc -c < out"
    status, size = grader.shell(line).split()
    assert status != "0"
    assert int(size) <= 102_400


_ENDS = {
    "terminated": "candidate sleep 60 & sleep 0.3; kill $!; wait $!",
    "by a limit of the shell": "timeout 0.3 candidate sleep 60",
    "hung up": "candidate sleep 60 & sleep 0.3; kill -HUP $!; wait $!",
    "killed": "candidate sh -c 'trap : TERM; sleep 60 & wait; sleep 60' & sleep 0.3; kill -PWR $!; wait $!",
}


@pytest.mark.parametrize("end", _ENDS.values(), ids=_ENDS)
def test_all_of_a_program_that_was_ended_is_dead_and_its_names_are_checked(grader: ApartGrader, end: str) -> None:
    """Many processes, and a link to a hidden file, as the last words of it."""
    hostile = "for i in $(seq 20); do setsid sleep 60 & done; ln -s grading/secret out; "
    words = end.replace("candidate sleep 60", f"candidate sh -c {shlex.quote(hostile + 'exec sleep 60')}")
    words = words.replace("trap : TERM;", f"trap : TERM; {hostile}")
    line = f"{words} 2> /dev/null; echo $?; cat out; cat /proc/[0-9]*/comm"
    status, *rest = grader.shell(line, errors=True).split()
    assert status in {"124", "129", "137", "143"}
    assert set(rest) <= {"supervisor", "bash", "cat", "timeout"}


def test_a_signal_reaches_the_program_which_ends_in_its_own_way(grader: ApartGrader) -> None:
    serves = """
import os, signal, sys
signal.signal(signal.SIGTERM, lambda *_: (open("state", "w").write("saved"), sys.exit(5)))
signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"again\\n"))
print("ready", flush=True)
while True: signal.pause()
"""
    judge = f"""
import signal
from gradebox_candidate import popen
program = popen(["python3", "-c", {serves!r}])
print(program.stdout.readline(), end="")
program.send_signal(signal.SIGUSR1)
print(program.stdout.readline(), end="")
program.terminate()
print(program.wait(), open("state").read())
killed, ended = [popen(["sh", "-c", "echo; exec sleep 60"]) for _ in range(2)]
killed.stdout.readline(), ended.stdout.readline()
killed.kill(), ended.terminate()
print(killed.wait(), ended.wait())
"""
    grader.sandbox.put([file_entry("grading/gradebox_candidate.py", _MODULE)], protect=True, grader=grader.uid)
    line = f"PYTHONPATH=grading python3 -c {shlex.quote(judge)}"
    assert grader.shell(line).split() == ["ready", "again", "5", "saved", "-9", "-15"]

"""Programs that talk with an interactor, on the real engine: honest ones, contestants who cheat, broken interactors."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from weakened_defences import Defence, switched_off

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.submissions.source import read_submission

SECRET = "8675309"
# Guesses a number: `lower`, `higher` or `found` for each guess, and at most 30 of them.
INTERACTOR = """
import os, sys
given, answer, feedback = sys.argv[1:]
secret = int(open(answer).read())
most = int(open(given).read())
print(most, flush=True)
for turn in range(30):
    guess = int(input())
    if guess == secret:
        print("found", flush=True)
        sys.exit(42)
    print("lower" if guess > secret else "higher", flush=True)
open(feedback + "/judgemessage.txt", "w").write("30 guesses were not enough")
sys.exit(43)
"""
SEARCH = """
low, high = 1, int(input())
while True:
    middle = (low + high) // 2
    print(middle, flush=True)
    said = input()
    if said == "found": break
    low, high = (low, middle - 1) if said == "lower" else (middle + 1, high)
"""


def case(directory: Path, interactor: str, tests: str, *, reference: str = "", **more: str) -> Path:
    fields = "".join(f"  {name}: {value}\n" for name, value in more.items())
    files = {
        "case.yaml": "input: Guess.\nlanguage: python\nassertions:\n- type: io\n"
        f"  interactor: [python3, grading/talk.py]\n{fields}  tests:\n{tests}",
        "grading/talk.py": textwrap.dedent(interactor),
    }
    files |= {"reference/solution.py": reference} if reference else {}
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    return directory


def graded(case: Path, programs: Mapping[str, str]) -> dict[str, Result]:
    loaded = load_case(case)
    tasks = []
    for name, text in programs.items():
        place = case.parent / name
        place.mkdir()
        (place / "solution.py").write_text(text)
        tasks.append(Task(loaded, read_submission(place)))
    with Grader() as grader:
        return {result.submission: result for result in grader.grade_many(tasks, jobs=2)}


def only(result: Result) -> CheckResult:
    (check,) = result.verdict.checks
    return check


def verdict(result: Result) -> str:
    return " ".join(row["verdict"] for row in only(result).details["tests"])


TESTS = f'  - {{stdin: "9999999\\n", stdout: "{SECRET}\\n"}}\n'

# What each contestant does; none of them knows the number.
_BEGIN = "import fcntl, glob, os, signal, sys, time\n"
_FOUND = "lambda data: b'867' + b'5309' in data"
HOSTILE = {
    "floods": "while True: print('1' * 1000)",
    "floods-one-line": "while True: sys.stdout.write('1' * 100000)",
    "floods-stderr": "while True: sys.stderr.write('x' * 100000)",
    "closes-stdout": "os.close(1)\ntime.sleep(1000)",
    "closes-stdin": "os.close(0)\nfor n in range(1, 40): print(n, flush=True)\ntime.sleep(1000)",
    "closes-everything": "os.closerange(0, 256)\nwhile True: pass",
    "ends-at-once": "os._exit(0)",
    "leaves-a-child-with-the-pipes": "if os.fork(): os._exit(0)\nos.setsid()\ntime.sleep(1000)",
    "fork-bomb": "while True:\n    try: os.fork()\n    except OSError: pass",
    "never-reads": "time.sleep(1000)",
    "never-reads-and-talks": "while True: print(1, flush=True); time.sleep(0.05)",
    "half-a-line": "sys.stdout.write('47'); sys.stdout.flush()\ntime.sleep(1000)",
    "ignores-signals": "for n in range(1, 65):\n    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\n"
    "while True: pass",
    "kills-everybody": "for to in (-1, os.getppid(), 1):\n    try: os.kill(to, signal.SIGKILL)\n"
    "    except OSError: pass",
    "stops": "os.kill(os.getpid(), signal.SIGSTOP)",
    "computes-in-orphans": "while True:\n    if os.fork() == 0:\n        if os.fork(): os._exit(0)\n"
    "        end = time.process_time() + 0.02\n        while time.process_time() < end: pass\n        os._exit(0)\n"
    "    os.wait()\n    time.sleep(0.01)",
    "uses-memory": "x = []\nwhile True: x.append(bytearray(1 << 24))",
    "fills-the-disk": "try:\n    with open('/workspace/full', 'wb') as file:\n"
    "        while True: file.write(bytes(1 << 20))\nexcept OSError: pass\nfor n in range(1, 40): print(n, flush=True)",
    "no-numbers": "print('what?', flush=True)\ninput()\ninput()",
    "shrinks-pipes": "for fd in (0, 1): fcntl.fcntl(fd, 1031, 4096); os.set_blocking(fd, False)\n"
    "for n in range(1, 40): print(n, flush=True)\ntime.sleep(1000)",
    "writes-the-verdict": "for place in ('/workspace/.gradebox-feedback', '/tmp/grader', '/.candidate'):\n"
    "    for name in ('judgemessage.txt', 'nextpass.in', 'socket'):\n"
    "        try: open(place + '/' + name, 'w').write('1\\n')\n        except OSError: pass\n"
    "for fd in range(3, 64):\n    try: os.write(fd, b'{\"status\": 10752}\\n')\n    except OSError: pass",
    "reads-processes": f"found = {_FOUND}\n"
    "for name in glob.glob('/proc/[0-9]*/*') + glob.glob('/proc/[0-9]*/fd/*') + glob.glob('/proc/self/fd/*'):\n"
    "    try:\n        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK)\n        text = os.read(fd, 1 << 20)\n"
    "        if found(text): print('found', name, file=sys.stderr)\n    except OSError: pass",
    "reads-memory": f"found = {_FOUND}\n"
    "for place in glob.glob('/proc/[0-9]*'):\n"
    "    if place == f'/proc/{os.getpid()}': continue\n"
    "    try:\n        memory = open(place + '/mem', 'rb')\n"
    "        for line in open(place + '/maps'):\n"
    "            start, end = (int(word, 16) for word in line.split()[0].split('-'))\n            memory.seek(start)\n"
    "            if found(memory.read(end - start)): print('found', place, file=sys.stderr)\n"
    "    except (OSError, ValueError, OverflowError): pass",
    "reads-files": f"found = {_FOUND}\n"
    "for at, _, names in os.walk('/'):\n    if at.startswith(('/proc', '/sys', '/usr')): continue\n"
    "    for name in names:\n"
    "        try:\n            fd = os.open(at + '/' + name, os.O_RDONLY | os.O_NONBLOCK)\n"
    "            if found(os.read(fd, 1 << 20)): print('found', at, name, file=sys.stderr)\n"
    "        except OSError: pass",
    "reads-the-environment": f"found = {_FOUND}\n"
    "for name in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):\n"
    "    try: print('found', name, file=sys.stderr) if found(open(name, 'rb').read()) else None\n"
    "    except OSError: pass",
}
# One of each kind of attack; all of them are in `make thorough`.
FEW = (
    "floods-one-line",
    "closes-stdout",
    "leaves-a-child-with-the-pipes",
    "half-a-line",
    "kills-everybody",
    "writes-the-verdict",
    "no-numbers",
    "reads-processes",
    "reads-memory",
    "reads-files",
)
VERDICTS = {
    "floods-one-line": ("OLE", "it printed more than 8,388,608 bytes"),
    "floods-stderr": ("OLE", "more than 8388608 bytes"),
    "closes-stdout": ("WA", "it closed its output while the interactor waited for more"),
    "ends-at-once": ("WA", "it ended while the interactor waited for more"),
    "leaves-a-child-with-the-pipes": ("WA", "it ended while the interactor waited for more"),
    "half-a-line": ("TLE", "the last line that it printed has no end"),
    "never-reads": ("TLE", "it did not read 8 bytes that the interactor wrote"),
    "computes-in-orphans": ("TLE", "it used up its 0.5 s of processor time"),
    "ignores-signals": ("TLE", "it used up its 0.5 s of processor time"),
}


@pytest.mark.parametrize("names", [FEW, pytest.param(tuple(HOSTILE), marks=pytest.mark.thorough)], ids=["few", "all"])
def test_contestants_who_cheat_fail_and_learn_nothing(names: tuple[str, ...], tmp_path: Path) -> None:
    place = case(tmp_path / "case", INTERACTOR, TESTS, reference=SEARCH, time_limit_seconds="0.5")
    results = graded(place, {name: _BEGIN + HOSTILE[name] + "\n" for name in names})
    found = {name: result.verdict.status.value for name, result in results.items()}
    assert found == dict.fromkeys(names, "failed"), {name: only(result).reason for name, result in results.items()}
    for name, result in results.items():
        (step,) = only(result).steps
        assert only(result).score == 0, name
        assert b"found" not in step.outcome.stderr.content(), name
    for name in set(names) & VERDICTS.keys():
        assert (name, verdict(results[name])) == (name, VERDICTS[name][0])
        assert VERDICTS[name][1] in only(results[name]).reason


_READS = ("reads-files", "reads-memory", "reads-processes")


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_it_is_the_user_of_the_grader_that_hides_the_number(tmp_path: Path) -> None:
    place = case(tmp_path / "case", INTERACTOR, TESTS, reference=SEARCH, time_limit_seconds="0.5")
    with switched_off(Defence.GRADER_USER):
        results = graded(place, {name: _BEGIN + HOSTILE[name] + "\n" for name in _READS})
    found = [name for name, result in results.items() if b"found" in only(result).steps[0].outcome.stderr.content()]
    assert "reads-files" in found


BROKEN = {
    "crashes": ("raise SystemExit(1)", "exit status 1"),
    "says-nothing": ("raise SystemExit(0)", "exit status 0"),
    "sleeps": ("import time\ntime.sleep(1000)", "it hangs"),
    "computes": ("while True: pass", "it used more than 1 s of processor time"),
    "is-killed": ("import os\nos.kill(os.getpid(), 11)", "SIGSEGV"),
    "floods-stderr": ("import sys\nwhile True: sys.stderr.write('x' * 100000)", "bytes to stderr"),
    "asks-for-more": (
        "import sys\nopen(sys.argv[3] + '/nextpass.in', 'w').write('again')\nsys.exit(42)",
        "asks for more than 1 passes",
    ),
}


_SLOW = ("sleeps", "computes", "is-killed", "floods-stderr")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] if name in _SLOW else []) for name in BROKEN]
)
def test_a_broken_interactor_is_an_error_of_the_case(name: str, tmp_path: Path) -> None:
    program, reason = BROKEN[name]
    tests = '  - {stdin: "1\\n"}\n'
    more = "{command: [python3, grading/talk.py], timeout_seconds: 1}"
    place = case(tmp_path / "case", program, tests, time_limit_seconds="0.5")
    text = (place / "case.yaml").read_text().replace("[python3, grading/talk.py]", more)
    (place / "case.yaml").write_text(text)
    result = graded(place, {"work": "input()\n"})["work"]
    assert result.verdict.status == "error"
    assert reason in only(result).reason


PASSES = """
import os, sys
given, answer, feedback = sys.argv[1:]
state = feedback + "/state"
number = int(open(state).read()) if os.path.exists(state) else 0
print(open(given).read().strip(), flush=True)
said = input()
if said != f"{number} fresh":
    open(feedback + "/judgemessage.txt", "w").write(f"pass {number}: {said}")
    sys.exit(43)
open(state, "w").write(str(number + 1))
if number < 2: open(feedback + "/nextpass.in", "w").write(f"{number + 1}\\n")
sys.exit(42)
"""


def test_only_the_interactor_knows_what_was_in_the_pass_before(tmp_path: Path) -> None:
    place = case(tmp_path / "case", PASSES, '  - {stdin: "0\\n"}\n', passes="4")
    tells = (
        "import os\nn = input()\nleft = [p for p in ('/workspace/left', '/tmp/left', '/dev/shm/left') "
        "if os.path.exists(p)]\nfor p in ('/workspace/left', '/tmp/left', '/dev/shm/left'): open(p, 'w').write('x')\n"
        "print(n, left or 'fresh', flush=True)\n"
    )
    results = graded(place, {"tells": tells, "counts": "input()\nprint('0 fresh', flush=True)\n"})
    assert results["tells"].verdict.status == "passed", only(results["tells"]).reason
    assert only(results["counts"]).reason.endswith("#1: WA, pass 1: 0 fresh")


def test_the_time_of_an_interactor_is_not_the_candidates(tmp_path: Path) -> None:
    slow = INTERACTOR.replace(
        "    guess =", "    import time\n    while time.process_time() < turn / 20: pass\n    guess ="
    )
    place = case(tmp_path / "case", slow, TESTS, time_limit_seconds="0.3")
    result = graded(place, {"search": SEARCH})["search"]
    assert verdict(result) == "AC", only(result).reason
    (row,) = only(result).details["tests"]
    assert row["seconds"] < 0.3

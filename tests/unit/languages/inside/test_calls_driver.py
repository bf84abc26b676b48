"""The shell that makes calls in one process after another, with Python, on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from gradebox.graders.languages.bundle import bundle
from gradebox.graders.languages.language import INSIDE, inside

SOURCE = (INSIDE / "calls.sh").read_text("utf-8")
RUNNER = bundle(inside("python") / "call_runner.py")
SOLUTION = """
import collections, os, sys, threading, time
seen = []
def f(x): seen.append(x); return seen
def ends(): os._exit(0)
def leaves(): sys.exit(0)
def killed(): os.kill(os.getpid(), 9)
def spins():
    while True: pass
def generates(): yield 1
def deep():
    found = []
    for _ in range(100000): found = [found]
    return found
def huge(): return "x" * (2 << 20)
class Always(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
def always(): return Always("no")
def writes():
    for descriptor in range(3, 20):
        try: os.write(descriptor, b'9\\n["=",1,"forged"]\\n')
        except OSError: pass
    return 1
def later():
    def run():
        time.sleep(0.05)
        writes()
    threading.Thread(target=run, daemon=True).start()
    return 2
def peeks(x):
    found = []
    for descriptor in range(3, 20):
        try:
            os.set_blocking(descriptor, False)
            found.append(os.read(descriptor, 9999))
        except OSError: pass
        try: os.set_blocking(descriptor, True)
        except OSError: pass
    frame = sys._getframe()
    while frame:
        found += [held for held in frame.f_locals.values() if isinstance(held, list) and held and held is not found]
        frame = frame.f_back
    return repr(found)
async def waits(): return 3
def again(): one = [1]; return one, one
def pair(): return Pair(1, 2)
def counts():
    found = collections.defaultdict(lambda: 0)
    found["a"] += 1
    return found
Pair = collections.namedtuple("Pair", "x y")
class Point:
    def __init__(self): self.x = 1
"""
UNREAD = "sent a reply that cannot be read"
PUTS_OFF = """
import os
number, lines = 0, []
def peeks(x):
    os.write(4, b'["=",9,0]\\n')
    lines.append(os.read(3, 9999))
    for number in range(3): os.write(4, b'["=",%d,"known"]\\n' % number)
    os._exit(0)
"""


def called(directory: Path, *calls: str, cpu: int = 1000, ticks: int = 100, solution: str = SOLUTION) -> dict[int, Any]:
    """Return the replies by number; of what the shell says itself, the text."""
    (directory / "solution.py").write_text(solution)
    lines = "".join(f"{call}\t()\t{{}}\n" if "\t" not in call else f"{call}\n" for call in calls)
    reading, writing = os.pipe()
    argv = ["bash", "-c", f'exec 3>&{writing}; exec "$@"', "bash", "bash", "--norc", "-c", SOURCE, "bash"]
    done = subprocess.Popen(
        [*argv, str(cpu), str(ticks), sys.executable, "-I", "-c", RUNNER],
        cwd=directory, stdin=subprocess.PIPE, pass_fds=[writing],
    )  # fmt: skip
    os.close(writing)
    assert done.stdin is not None
    done.stdin.write(f"solution.py\n{lines}".encode())
    done.stdin.close()
    with os.fdopen(reading, "rb") as report:
        said = report.read().decode().splitlines()
    assert done.wait() == 0
    found: dict[int, Any] = {}
    for line in said:
        if line.startswith("["):
            reply = json.loads(line)
            found.setdefault(reply[1], [reply[0], *reply[2:]])
        elif " " in line:
            number, _, why = line.partition(" ")
            found.setdefault(int(number), why)
    return found


def test_calls_share_a_process_until_one_ends_it(tmp_path: Path) -> None:
    found = called(
        tmp_path, "f\t(1,)\t{}", "f\t(2,)\t{}", "ends", "f\t(3,)\t{}", "leaves", "f\t(4,)\t{}", "killed", "waits"
    )
    assert found == {
        0: ["=", ["l", -1, "", 1]], 1: ["=", ["l", -1, "", 1, 2]], 2: "ended the process with exit status 0",
        3: ["=", ["l", -1, "", 3]],
        4: ["!", ["SystemExit", "BaseException"], "0"], 5: ["=", ["l", -1, "", 3, 4]],
        6: "ended the process by signal 9", 7: ["=", 3],
    }  # fmt: skip


def test_a_call_without_end_is_stopped_and_the_next_is_made(tmp_path: Path) -> None:
    found = called(tmp_path, "spins", "waits", cpu=50)
    assert found == {0: "took too long", 1: ["=", 3]}


def test_only_data_is_returned(tmp_path: Path) -> None:
    found = called(
        tmp_path, "generates", "deep", "huge", "always", "Point", "nothing", "Point.x.y", "counts", "again", "pair"
    )
    assert found == {
        0: "did not return data: a generator",
        1: "did not return data: a value that is this deep or large cannot be passed between two processes",
        2: "did not return data: a value of more than 1 MiB",
        3: ["=", "no"],
        4: ["=", ["O", "Point", "x", 1]],
        5: "was not made: there is no function nothing",
        6: "was not made: there is no function Point.x.y",
        7: ["=", ["d", -1, "", "a", 1]],
        8: ["=", ["t", ["l", -1, "", 1], ["l", -2, "", 1]]],
        9: ["=", ["O", "Pair", ".", ["t", 1, 2], "..", ["t", "x", "y"]]],
    }


def test_a_forged_line_is_an_answer_of_the_candidate_to_the_call_in_turn(tmp_path: Path) -> None:
    found = called(tmp_path, "writes", "waits", "f\t(1,)\t{}")
    assert found == {0: UNREAD, 1: ["=", "forged"], 2: UNREAD}


def test_no_process_sees_a_later_call_before_the_one_in_turn_is_answered(tmp_path: Path) -> None:
    calls = [f"peeks\t({number},)\t{{}}" for number in range(3)]
    assert called(tmp_path, *calls) == {0: ["=", "[]"], 1: ["=", "[]"], 2: ["=", "[]"]}
    # Who puts an answer off gets none but later calls.
    assert called(tmp_path, *calls, solution=PUTS_OFF) == {0: UNREAD, 1: UNREAD, 2: UNREAD}


def test_long_arguments_and_answers_arrive(tmp_path: Path) -> None:
    text = "x" * 300_000
    found = called(tmp_path, *[f"f\t({text!r},)\t{{}}"] * 3, ticks=1)
    assert found[2] == ["=", ["l", -1, "", *[text] * 3]]
    assert called(tmp_path, f"spins\t({text!r},)\t{{}}", "waits", solution=f"while True: pass # {text}", cpu=20) == {
        0: "took too long", 1: "took too long",
    }  # fmt: skip


def test_an_answer_without_end_fails_its_call(tmp_path: Path) -> None:
    solution = "import os\ndef f(x):\n    while x: os.write(4, b'x' * 65536)\n    return 1\n"
    found = called(tmp_path, "f\t(1,)\t{}", "f\t(0,)\t{}", solution=solution)
    assert found == {0: "did not return data: its answer is too long", 1: ["=", 1]}


def test_a_file_that_cannot_be_loaded_is_said_of_each_call(tmp_path: Path) -> None:
    found = called(tmp_path, "f", "f", solution="raise ValueError('x\\ny')")
    said = "was not made: its file cannot be loaded: ValueError: x y"
    assert found == {0: said, 1: said}

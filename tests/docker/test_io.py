"""Programs that are judged by input and output, with the real engine: honest ones, and contestants who cheat."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.grading.fingerprint import case_key
from gradebox.graders.grading.prepare import read_files
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.submissions.source import read_submission

SUFFIXES = {"python": "py", "javascript": "js", "bash": "sh"}
# Each prints the double of its input, and does something else for certain inputs.
PROGRAMS = {
    "python": """
import os, sys
n = int(input())
if n == 2: n = 50
if n == 3:
    while True: pass
if n == 4: x = bytearray(300 << 20)
if n == 5: sys.exit(3)
if n == 6: os.kill(os.getpid(), 11)
if n == 7: print("x" * (9 << 20))
print(n * 2)
""",
    "javascript": """
let n = Number(require("fs").readFileSync(0, "utf8"));
if (n == 2) n = 50;
if (n == 3) for (;;);
if (n == 4) { const x = Buffer.alloc(300 << 20, 1); if (x[5] != 1) n = 0; }
if (n == 5) process.exit(3);
if (n == 6) process.kill(process.pid, "SIGSEGV");
if (n == 7) console.log("x".repeat(9 << 20));
console.log(n * 2);
""",
    "bash": """
read -r n
case $n in
2) n=50 ;;
3) while :; do :; done ;;
4) head -c 300000000 /dev/zero | tail -c 290000000 > /dev/null ;;
5) exit 3 ;;
6) kill -SEGV $$ ;;
7) head -c 9500000 /dev/zero ;;
esac
echo $((n * 2))
""",
}
SECRET = "4711"
_IS_THERE = "(lambda data: b'47' + b'11' in data)"
# What each contestant does; none of them solves the task.
HOSTILE = {
    "floods": "while True: print('x' * 100000)",
    "floods-stderr": "import sys\nwhile True: sys.stderr.write('x' * 100000)",
    "prints-a-gigabyte": "import sys\nfor _ in range(1024): sys.stdout.write('x' * (1 << 20))",
    "closes-stdout": "import os\nos.close(1)",
    "closes-everything": "import os\nos.closerange(0, 256)",
    "fork-bomb": "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass",
    "never-reads": "pass",
    "half-a-line": "import sys\nsys.stdout.write('47'); sys.stdout.flush()\nwhile True: pass",
    "kills-everybody": "import os, signal\nfor to in (-1, os.getppid(), 1):\n"
    "    try: os.kill(to, signal.SIGKILL)\n    except OSError: pass",
    "stops": "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
    "sleeps": "import time\ntime.sleep(1000)",
    "ends-early": "import os\nos._exit(0)",
    "uses-memory": "x = []\nwhile True: x.append(bytearray(1 << 24))",
    "binary": "import sys\nsys.stdout.buffer.write(bytes(range(256)) * 10 + b'\\x1b[2J')",
    "leaves-files": "import glob, os, sys\nfor place in ('/workspace', '/tmp', '/dev/shm', os.environ['HOME']):\n"
    "    for found in glob.glob(place + '/left*'): print('found', found, open(found).read())\n"
    "    try: open(place + '/left', 'w').write(sys.stdin.read())\n    except OSError: pass",
    "changes-itself": "print('first time')\nopen(__file__, 'w').write('print(\"second time\")')",
    "leaves-daemons": "import os, sys, time\nif os.fork(): sys.exit()\nos.setsid()\nif os.fork(): sys.exit()\n"
    "while True:\n    try: open('/tmp/daemon', 'a').write('here')\n    except OSError: pass\n    time.sleep(0.01)",
    "finds-daemons": "import os\nprint('daemon' if os.path.exists('/tmp/daemon') else 'none')",
    "reads-processes": f"import glob\nfound = {_IS_THERE}\n"
    "for name in glob.glob('/proc/[0-9]*/*') + glob.glob('/proc/[0-9]*/fd/*'):\n"
    "    try: print('found', name) if found(open(name, 'rb').read(1 << 20)) else None\n    except OSError: pass",
    "reads-environments": f"import glob\nfound = {_IS_THERE}\n"
    "for name in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline'):\n"
    "    try: print('found', name) if found(open(name, 'rb').read(1 << 20)) else None\n    except OSError: pass",
    "reads-memory": f"import glob, os\nfound = {_IS_THERE}\n"
    "for place in glob.glob('/proc/[0-9]*'):\n    if place == f'/proc/{os.getpid()}': continue\n"
    "    try:\n        memory = open(place + '/mem', 'rb')\n        for line in open(place + '/maps'):\n"
    "            start, end = (int(word, 16) for word in line.split()[0].split('-'))\n            memory.seek(start)\n"
    "            if found(memory.read(end - start)): print('found', place)\n"
    "    except (OSError, ValueError, OverflowError): pass",
    "reads-pipes": f"import glob, os\nfound = {_IS_THERE}\n"
    "for name in [f'/proc/self/fd/{fd}' for fd in range(64)] + glob.glob('/proc/[0-9]*/fd/*'):\n"
    "    try:\n        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK)\n"
    "        if found(os.read(fd, 1 << 20)): print('found', name)\n    except OSError: pass",
    "reads-files": f"import os\nfound = {_IS_THERE}\n"
    "for at, _, names in os.walk('/'):\n    if at.startswith(('/proc', '/sys', '/usr')): continue\n"
    "    for name in names:\n"
    "        try: print('found', at, name) if found(open(at + '/' + name, 'rb').read(1 << 20)) else None\n"
    "        except OSError: pass",
}


def case(directory: Path, language: str, tests: str, **more: str) -> Path:
    directory.mkdir()
    fields = "".join(f"  {name}: {value}\n" for name, value in more.items())
    (directory / "case.yaml").write_text(
        f"input: Write it.\nlanguage: {language}\nassertions:\n- type: io\n{fields}  tests:\n{tests}"
    )
    return directory


def graded(case: Path, submissions: Mapping[str, Mapping[str, str]]) -> dict[str, Result]:
    loaded = load_case(case)
    tasks = []
    for name, files in submissions.items():
        place = case.parent / name
        for path, text in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(text)
        tasks.append(Task(loaded, read_submission(place)))
    with Grader() as grader:
        return {result.submission: result for result in grader.grade_many(tasks, jobs=2)}


def verdicts(check: CheckResult) -> list[Any]:
    return [row["verdict"] for row in check.details["tests"]]


@pytest.mark.parametrize("language", SUFFIXES)
def test_every_verdict_is_given(language: str, tmp_path: Path) -> None:
    tests = "".join(f"  - {{stdin: '{n}\n', stdout: '{n * 2}\n'}}\n".replace("\n'", "\\n'") for n in range(1, 8))
    tests = tests.replace("'", '"')
    place = case(tmp_path / "case", language, tests, time_limit_seconds="1", memory="200m")
    result = graded(place, {"work": {f"solution.{SUFFIXES[language]}": PROGRAMS[language]}})["work"]
    (check,) = result.verdict.checks
    assert verdicts(check) == ["AC", "WA", "TLE", "MLE", "RTE", "RTE", "OLE"], check.reason
    assert result.verdict.status == "failed"


def test_contestants_who_cheat_fail_and_learn_nothing(tmp_path: Path) -> None:
    tests = "".join(f'  - {{stdin: "{n}\\n", stdout: "{SECRET}{n}\\n"}}\n' for n in range(3))
    place = case(tmp_path / "case", "python", tests, time_limit_seconds="0.5")
    results = graded(place, {name: {"solution.py": program} for name, program in HOSTILE.items()})
    assert {name: result.verdict.status.value for name, result in results.items()} == dict.fromkeys(HOSTILE, "failed")
    for name, result in results.items():
        (check,) = result.verdict.checks
        assert check.score == 0, name
        assert "AC" not in verdicts(check)
        printed = [step.outcome.stdout.content() for step in check.steps]
        assert not any(SECRET.encode() in text or b"found" in text or b"daemon" in text for text in printed), name
        assert not any(b"second time" in text for text in printed), name


def test_a_build_is_there_for_every_test_and_no_other_check(tmp_path: Path) -> None:
    tests = '  - {stdin: "1\\n", stdout: "made 1\\n"}\n  - {stdin: "2\\n", stdout: "made 2\\n"}\n'
    place = case(tmp_path / "case", "bash", tests, build="[sh, build.sh]", run="[./made]")
    text = (place / "case.yaml").read_text()
    (place / "case.yaml").write_text(f"{text}- {{type: code-grader, command: 'test ! -e made'}}\n")
    made = {"build.sh": "printf '#!/bin/sh\nread -r n\necho made $n\nrm made\n' > made\nchmod +x made\n"}
    broken = {"build.sh": "echo 'build.sh:1: error: no such type' >&2\nexit 1\n"}
    results = graded(place, {"made": made, "broken": broken})
    assert [check.status for check in results["made"].verdict.checks] == ["passed", "passed"]
    check = results["broken"].verdict.checks[0]
    assert check.status == "failed"
    assert check.reason == "CE: the build failed: exit status 1 (build.sh:1: error: no such type)"


def test_files_arguments_and_a_workspace_are_there(tmp_path: Path) -> None:
    tests = "  - {args: [a b, c], files: {data/x.txt: hello}, stdout: 'a b|c hello'}\n  - {stdout: ' none'}\n"
    place = case(tmp_path / "case", "python", tests)
    (place / "workspace").mkdir()
    (place / "workspace/solution.py").write_text("raise NotImplementedError\n")
    program = (
        "import os, sys\npath = 'data/x.txt'\n"
        "print('|'.join(sys.argv[1:]), open(path).read() if os.path.exists(path) else 'none')\n"
        "if os.path.exists(path): open(path, 'a').write('changed')\n"
    )
    results = graded(place, {"work": {"solution.py": program}, "stub": {"other.txt": ""}})
    assert results["work"].verdict.status == "passed", results["work"].verdict.checks[0].reason
    assert verdicts(results["stub"].verdict.checks[0]) == ["RTE", "RTE"]


def test_answers_come_from_the_reference_once(tmp_path: Path) -> None:
    tests = '  - {stdin: "1\\n"}\n  - {stdin: "2\\n"}\n  - {stdin: "3\\n", stdout: "nine\\n"}\n'
    place = case(tmp_path / "case", "python", tests, answers="from-reference")
    (place / "reference").mkdir()
    (place / "reference/solution.py").write_text("n = int(input())\nprint(n * n)\n")
    results = graded(
        place,
        {
            "square": {"solution.py": "n = int(input())\nprint(n * n if n < 3 else 'nine')\n"},
            "double": {"solution.py": "n = int(input())\nprint(n * 2)\n"},
        },
    )
    found = {name: verdicts(result.verdict.checks[0]) for name, result in results.items()}
    assert found == {"square": ["AC", "AC", "AC"], "double": ["WA", "AC", "WA"]}
    # Commands that run nothing know a case without these answers, and must take it for the same.
    loaded = load_case(place)
    assert {result.case_hash for result in results.values()} == {case_key(loaded, read_files(loaded))}
    (place / "reference/solution.py").write_text("raise SystemExit(3)\n")
    broken = graded(place, {"square": {}})["square"].verdict
    assert broken.status == "error"
    assert "the reference gives no answer: #1" in broken.reasons[0]


CHECKER = """
import sys
given, answer, feedback = sys.argv[1:]
output = sys.stdin.read().split()
if output == ["crash"]: sys.exit(1)
total = int(open(given).read())
if len(output) == 2 and sum(map(int, output)) == total: sys.exit(42)
open(feedback + "/judgemessage.txt", "w").write(f"{output} do not add up to {total}")
sys.exit(43)
"""


def test_a_checker_decides_when_the_candidate_is_gone(tmp_path: Path) -> None:
    tests = '  - {stdin: "10\\n", stdout: "5 5\\n"}\n  - {stdin: "7\\n", stdout: "3 4\\n"}\n'
    place = case(tmp_path / "case", "python", tests, checker="[python3, grading/check.py]")
    for name, text in {
        "grading/check.py": CHECKER,
        "reference/solution.py": "n = int(input())\nprint(1, n - 1)\n",
    }.items():
        (place / name).parent.mkdir()
        (place / name).write_text(text)
    results = graded(
        place,
        {
            "right": {"solution.py": "n = int(input())\nprint(n, 0)\n"},
            "wrong": {"solution.py": "print(3, 4)\n"},
            "crash": {"solution.py": "print('crash')\n"},
            "raises": {"solution.py": "raise SystemExit(2)\n"},
        },
    )
    checks = {name: result.verdict.checks[0] for name, result in results.items()}
    assert {name: check.status for name, check in checks.items()} == {
        "right": "passed", "wrong": "failed", "crash": "failed", "raises": "failed",
    }  # fmt: skip
    assert checks["wrong"].reason.endswith("#1: WA, ['3', '4'] do not add up to 10")
    assert "the checker cannot judge it" in checks["crash"].reason
    assert verdicts(checks["raises"]) == ["RTE", "RTE"]


_FILE_INPUT = """
import mmap, os, sys
size = os.fstat(0).st_size
first = mmap.mmap(0, 0, access=mmap.ACCESS_READ)[:] if size else b""
second = os.read(0, size)
sys.stdin.seek(0)
third = sys.stdin.buffer.read()
with open("/dev/stdin", "rb") as again:
    fourth = again.read()
try:
    os.open("/proc/self/fd/0", os.O_WRONLY)
    print("written")
except OSError:
    print(first == second == third == fourth, size)
"""


def test_stdin_is_a_file_that_nobody_writes(tmp_path: Path) -> None:
    tests = '[{stdin: "ab\\n", stdout: "True 3\\n"}, {stdin: "", stdout: "True 0\\n"}]'
    (tmp_path / "case").mkdir()
    (tmp_path / "work").mkdir()
    (tmp_path / "case" / "case.yaml").write_text(
        f"input: x\nlanguage: python\nassertions:\n- {{type: io, tests: {tests}}}\n"
    )
    (tmp_path / "work" / "solution.py").write_text(_FILE_INPUT)
    with Grader() as grader:
        task = Task(load_case(tmp_path / "case"), read_submission(tmp_path / "work"))
        (result,) = grader.grade_many([task])
    (check,) = result.verdict.checks
    assert check.score == 1.0, check.steps

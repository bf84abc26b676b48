"""One small attack for each defence: what it does, and whether it got what it wanted."""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from defence_room import PLACE, Room, check, command, ended_well, run
from rich.console import Console
from weakened_defences import Defence as D  # noqa: N817 - a column of a table

from gradebox.graders.checks.calls.call import CallCheck, CallEntry
from gradebox.graders.checks.items import Item, Items
from gradebox.graders.languages import get
from gradebox.graders.languages.item_protocol import encode
from gradebox.graders.model.result import Result
from gradebox.graders.model.tree import Tree
from gradebox.graders.model.verdict import Status
from gradebox.graders.reports.text_report import print_verdict
from gradebox.graders.runners.test_reports.report_entry import ReportEntry
from gradebox.graders.runs.evidence_log import evidence_directory
from gradebox.graders.submissions.overlay import lay
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.limits import KIB, MIB, Limits
from gradebox.sandbox.types import Ending


@dataclass(frozen=True)
class Attack:
    """An attack on one defence.

    Attributes:
        succeeds: Tries it, and says whether it got what it wanted.
        behind: Defences that stand before this one: with them it would not even get there, so they are always off.
    """

    succeeds: Callable[[Room], bool]
    behind: tuple[D, ...] = ()


def program(text: str) -> Callable[[Room], bool]:
    """Return an attack that succeeds when a Python program comes to its end without an error."""
    return lambda room: room.python_runs(text)


CONNECT = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
ADD_KEY = """
import ctypes, platform
number = {"x86_64": 248, "aarch64": 217}[platform.machine()]
assert ctypes.CDLL(None).syscall(number, b"user", b"evil", b"x", 1, -3) > 0
"""
MAKE_DEVICE = "import os, stat; os.mknod('/workspace/disk', 0o600 | stat.S_IFBLK, os.makedev(7, 0))"
READ_SHADOW = "import subprocess; subprocess.run(['rooted', '-c', 'open(\"/etc/shadow\").read()'], check=True)"
FORK = """
import os, time
for _ in range(40):
    if os.fork() == 0:
        time.sleep(60)
"""
FILES = """
import os
for number in range(800):
    open(f'/workspace/{number}', 'w').close()
"""
DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    for number in range(3):
        os.close(number)
    while True:
        open('/workspace/late', 'w').close()
        time.sleep(0.05)
"""
# On a busy machine the command may have ended some time before its daemon is killed.
WAIT = """
import os, time
begun = time.time()
while not (os.path.exists('/workspace/late') and os.path.getmtime('/workspace/late') > begun):
    assert time.time() < begun + 1.5
    time.sleep(0.05)
"""
OPEN_THE_PARENT = """
import os
others = [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) not in (1, os.getpid())]
assert any(open(f'/proc/{pid}/mem', 'r+b') for pid in others)
"""
# A process that is small itself and fills a file system, after it has made us keep as much as we ever keep.
FILL = "head -c 40000000 /dev/zero; exec head -c 100000000 /dev/zero >/workspace/x"


def setuid_program(room: Room) -> bool:
    return room.python_runs(READ_SHADOW, image=room.image_with_a_setuid_program())


def change_a_protected_file(room: Room) -> bool:
    with room.sandbox() as sandbox:
        sandbox.put([file_entry("grading/t", b"judge")], protect=True)
        return ended_well(run(sandbox, "sh", "-c", "echo evil >grading/t"))


def exhaust_memory(room: Room) -> bool:
    with room.sandbox(Limits(memory_bytes=80 * MIB, disk_bytes=96 * MIB)) as sandbox:
        sandbox.snapshot()
        run(sandbox, "sh", "-c", FILL, capture_bytes=16 * MIB, output_bytes=64 * MIB)
        return sandbox.lost


def outlive_the_command(room: Room) -> bool:
    with room.sandbox() as sandbox:
        run(sandbox, "python3", "-c", DAEMON)
        return ended_well(run(sandbox, "python3", "-c", WAIT))


def write_into_the_fork_server(room: Room) -> bool:
    item = encode("5" * 32, item=OPEN_THE_PARENT)
    with room.sandbox() as sandbox:
        return ended_well(run(sandbox, *get("python").argv(), stdin=item, report=True, forks=True))


def read_our_environment(room: Room) -> bool:
    os.environ["GRADEBOX_TEST_SECRET"] = "swordfish"
    try:
        with room.sandbox() as sandbox:
            return ended_well(run(sandbox, "sh", "-c", 'test "$GRADEBOX_TEST_SECRET" = swordfish'))
    finally:
        del os.environ["GRADEBOX_TEST_SECRET"]


def leave_a_file_in_tmp(room: Room) -> bool:
    with room.sandbox() as sandbox:
        run(sandbox, "touch", "/tmp/left")
        sandbox.reset(10_002)
        return ended_well(run(sandbox, "test", "-e", "/tmp/left", uid=10_002))


def print_too_much(room: Room) -> bool:
    with room.sandbox() as sandbox:
        return ended_well(run(sandbox, "head", "-c", str(256 * KIB), "/dev/zero"))


def take_too_long(room: Room) -> bool:
    with room.sandbox() as sandbox:
        return run(sandbox, "sleep", "0.9", wall_seconds=0.3).ending is Ending.EXITED


# The rules of grading


def passes(graded: Result) -> bool:
    return graded.verdict.status is Status.PASSED


def second_check_finds_what_the_first_left(room: Room) -> bool:
    work = {"work.sh": "test -e /workspace/left && exit 0; touch /workspace/left; exit 1\n"}
    graded = room.grade(check("one", "sh", "work.sh"), check("two", "sh", "work.sh"), work=work)
    return graded.verdict.checks[1].score == 1


def second_check_is_the_same_user(room: Room) -> bool:
    work = {"work.sh": "cat /tmp/left && exit 0; umask 077; echo answer >/tmp/left; exit 1\n"}
    graded = room.grade(check("one", "sh", "work.sh"), check("two", "sh", "work.sh"), work=work)
    return graded.verdict.checks[1].score == 1


def read_what_another_check_needs(room: Room) -> bool:
    work = {"work.sh": "grep -r answer /workspace/grading\n"}
    return passes(room.grade(check("it", "sh", "work.sh"), files={"grading/a": "answer"}, work=work))


def change_the_judge_while_it_waits(room: Room) -> bool:
    files = {"grading/judge.sh": "exit 1\n"}
    work = {"work.sh": "cd /workspace/grading && rm -f judge.sh; echo exit 0 >judge.sh\n"}
    return passes(room.grade(check("it", "sh", "-c", "sh work.sh; sh grading/judge.sh"), files=files, work=work))


def write_a_module_for_the_judge(room: Room) -> bool:
    judge = "import subprocess\nsubprocess.run(['python3', 'work.py'])\n"
    files = {
        "workspace/tests/judge.py": judge + "exit(subprocess.run(['python3', 'tests/end.py']).returncode)\n",
        "workspace/tests/end.py": "import json\n\nexit(1)\n",
    }
    work = {"work.py": "open('tests/json.py', 'w').write('exit(0)')\n"}
    return passes(room.grade(check("it", "python3", "tests/judge.py"), files=files, work=work))


def lay_a_library_beside_the_judge(room: Room) -> bool:
    files, work = {"judge.py": "import json\n\nexit(1)\n"}, {"json.py": "exit(0)\n"}
    return passes(room.grade(check("it", "python3", "judge.py"), files=files, work=work))


def leave_a_start_up_file(room: Room) -> bool:
    files, work = {"grading/judge.sh": "sh work.sh\nbash -l -c 'exit 1'\n"}, {"work.sh": "echo exit 0 >~/.profile\n"}
    return passes(room.grade(check("it", "sh", "grading/judge.sh"), files=files, work=work))


def answer_what_the_judge_was_told(room: Room) -> bool:
    asked = check("it", "sh", "-c", 'test "$(sh work.sh)" = "$(printf swordfish)"', config={"wanted": "swordfish"})
    return passes(room.grade(asked, work={"work.sh": "grep -o swordfish | head -n 1\n"}))


def answer_what_the_line_says(room: Room) -> bool:
    asked = check("it", "sh", "-c", 'test "$(sh work.sh)" = swordfish')
    return passes(room.grade(asked, work={"work.sh": "tr '\\0' ' ' </proc/$PPID/cmdline | grep -o swordfish\n"}))


def read_the_judges_memory(room: Room) -> bool:
    """The judge is a shell, and its memory has the line that it was given on stdin."""
    asked = check("it", "sh", "-c", 'test "$(python3 work.py)" = swordfish')
    read = "import os, re\nprocess = os.getppid()\nmaps = open(f'/proc/{process}/maps').read()\n"
    read += "memory = open(f'/proc/{process}/mem', 'rb', 0)\n"
    read += "for start, end in re.findall('(\\w+)-(\\w+) rw.*heap', maps):\n"
    read += "    memory.seek(int(start, 16))\n    text = memory.read(int(end, 16) - int(start, 16))\n"
    read += "    if found := re.search(rb'= (\\w+)\\n', text):\n        print(found[1].decode())\n"
    return passes(room.grade(asked, work={"work.py": read}))


def bring_a_judge(room: Room) -> bool:
    files, work = {"grading/judge.sh": "exit 1\n"}, {"grading/judge.sh": "exit 0\n"}
    return passes(room.grade(check("it", "sh", "grading/judge.sh"), files=files, work=work))


def edit_a_test(room: Room) -> bool:
    files, work = {"workspace/test.sh": "exit 1\n"}, {"test.sh": "exit 0\n"}
    return passes(room.grade(check("it", "sh", "test.sh"), files=files, work=work))


RUN_PYTEST = "python3 -m pytest -q -p no:cacheprovider grading/test_it.py\n"
FAILING_TEST = "def test_it():\n    assert False\n"


def bring_a_conftest(room: Room) -> bool:
    # In a script, where no adapter of ours sees the runner.
    files = {"grading/run.sh": RUN_PYTEST, "grading/test_it.py": FAILING_TEST}
    work = {"pytest.ini": "[pytest]\n", "conftest.py": "import os\nos._exit(0)\n"}
    return passes(room.grade(check("it", "sh", "grading/run.sh"), files=files, work=work))


def try_at_no_risk(room: Room) -> bool:
    work = {"sitecustomize.py": "import os\nos._exit(0)\n", "work.py": "print('honest')\n"}
    return passes(room.grade(check("it", "python3", "work.py"), files={"workspace/README.md": ""}, work=work))


def leave_an_item_early(room: Room) -> bool:
    items = Items(name="it", place=PLACE, language="python", items=(Item(name="it", code="import work; assert False"),))
    return passes(room.grade(items, work={"work.py": "import os\nos._exit(0)\n"}))


PATCH = """
from _pytest.python import Function
Function.runtest = lambda self: None
"""


def bring_a_module_of_the_library(room: Room) -> bool:
    files = {
        "grading/test_it.py": "import json\nimport work\n\n\ndef test_it():\n    assert json.loads('1') == work.value\n"
    }
    asked = check("it", "python3", "-m", "pytest", "grading/test_it.py", adapter="auto")
    work = {"work.py": "value = 2\n", "json.py": "def loads(text): return 2\n"}
    return passes(room.grade(asked, files=files, work=work))


def let_every_test_pass(room: Room) -> bool:
    files = {"grading/test_it.py": "import sys\nsys.path.append('.')\nimport work\n\n\n" + FAILING_TEST}
    asked = check("it", "python3", "-m", "pytest", "grading/test_it.py", adapter="auto")
    return passes(room.grade(asked, files=files, work={"work.py": PATCH}))


def return_what_equals_everything(room: Room) -> bool:
    entry = CallEntry(call="f", returns=1)
    calls = CallCheck(name="it", place=PLACE, language="python", file="work.py", calls=(entry,))
    work = {"work.py": "class Equal:\n    def __eq__(self, other): return True\ndef f(): return Equal()\n"}
    return passes(room.grade(calls, work=work))


def bend_the_judge(room: Room) -> bool:
    judge = ". ./work.sh\nexit 1\n"
    asked = check("it", "sh", "grading/judge.sh", control=command("sh", "grading/control.sh"))
    files = {"grading/judge.sh": judge, "grading/control.sh": judge}
    return passes(room.grade(asked, files=files, work={"work.sh": "exit 0\n"}))


def claim_to_have_passed(room: Room) -> bool:
    asked = check("it", "sh", "-c", "sh work.sh", report=ReportEntry(format="junit", path="report.xml"))
    report = '<testsuite><testcase name="a"><failure/></testcase></testsuite>'
    return passes(room.grade(asked, work={"work.sh": f"echo '{report}' >report.xml\n"}))


def print_a_score(room: Room) -> bool:
    asked = check("it", "sh", "-c", "sh work.sh; exit 1", protocol="json")
    return passes(room.grade(asked, work={"work.sh": """echo '{"score": 1}'\n"""}))


def as_candidate(line: str, **changes: Any) -> Callable[[Room], bool]:
    """Return the attack of a candidate that a grader, who is another user, starts by a shell line."""
    asked = check("it", "sh", "-c", line, isolation="apart", **changes)
    return lambda room: passes(room.grade(asked, files={"grading/secret": "swordfish"}))


def spoil_the_score(room: Room) -> bool:
    """Whoever fails and is in `error` instead has got away."""
    asked = check("it", "sh", "-c", """sh *.sh; echo '{"score": 0}'""", protocol="json")
    files, work = {"workspace/work.sh": "true\n"}, {"work.sh": "echo beside it\n"}
    return room.grade(asked, files=files, work=work).verdict.status is Status.ERROR


# The host


def hand_in_a_socket(room: Room) -> bool:
    """Whoever fails and is in `error` instead has got away."""
    place = room.root / "special"
    place.mkdir(exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place / "s"))
        try:
            return room.grade(check("it", "false"), submission=place).verdict.status is Status.ERROR
        finally:
            (place / "s").unlink()


def link_to_a_file_of_the_host(room: Room) -> bool:
    (room.root / "secret").write_text("swordfish")
    place = room.root / "linked"
    place.mkdir(exist_ok=True)
    if not (place / "stolen").is_symlink():
        (place / "stolen").symlink_to(room.root / "secret")
    return passes(room.grade(check("it", "grep", "swordfish", "/workspace/stolen"), submission=place))


def write_beside_the_workspace(room: Room) -> bool:
    diff = room.root / "evil.diff"
    diff.write_text("--- /dev/null\n+++ b/../../outside\n@@ -0,0 +1 @@\n+evil\n")
    return any(path.startswith("..") for path in lay(Tree(), read_submission(diff)).tree.entries)


def write_beside_the_run(room: Room) -> bool:
    directory = (room.root / "run").resolve()
    evidence = evidence_directory("../../outside", "work", None, 1)
    return not (directory / evidence).resolve().is_relative_to(directory)


def clear_the_terminal(room: Room) -> bool:
    graded = replace(room.grade(check("it", "true")), submission="\x1b[2J")
    printed = io.StringIO()
    print_verdict(Console(file=printed), graded)
    return "\x1b" in printed.getvalue()


LEND_AND_TAKE = """mkdir $TMPDIR/out && candidate --lend $TMPDIR/out
candidate ln -s /workspace/grading/secret $TMPDIR/out/x
candidate --reclaim $TMPDIR/out && grep swordfish $TMPDIR/out/x"""
FORGE_REPORT = """candidate sh -c 'echo "<testsuite><testcase name=\\"a\\"/></testsuite>" > report.xml'"""

ATTACKS: Mapping[D, Attack] = {
    D.NETWORK: Attack(program(CONNECT)),
    D.READ_ONLY_ROOT: Attack(program("open('/var/tmp/left', 'w').close()")),
    D.CAPABILITIES: Attack(program(MAKE_DEVICE), behind=(D.CANDIDATE_USER,)),
    D.NO_NEW_PRIVILEGES: Attack(setuid_program, behind=(D.SYSCALL_FILTER,)),
    D.ENGINE_SECCOMP: Attack(program(ADD_KEY), behind=(D.SYSCALL_FILTER,)),
    D.CGROUP_NAMESPACE: Attack(
        program("import re; assert re.search('[0-9a-f]{64}', open('/proc/self/cgroup').read())")
    ),
    D.MASKED_PATHS: Attack(program("assert open('/proc/vmstat').read()")),
    D.MEMORY_LIMIT: Attack(program(f"assert any(b'x' * {256 * MIB})")),
    D.PROCESS_LIMIT: Attack(program(FORK)),
    D.DISK_LIMIT: Attack(program(f"[open(f'/workspace/{{n}}', 'wb').write(bytes({6 * MIB})) for n in range(4)]")),
    D.FILE_COUNT_LIMIT: Attack(program(FILES)),
    D.SYSCALL_FILTER: Attack(program(ADD_KEY), behind=(D.ENGINE_SECCOMP,)),
    D.CANDIDATE_USER: Attack(change_a_protected_file),
    D.SUPERVISOR_UNDUMPABLE: Attack(program("assert open('/proc/1/maps').read()"), behind=(D.CANDIDATE_USER,)),
    D.GRADER_SHIELDED: Attack(read_the_judges_memory),
    D.OOM_SCORE: Attack(exhaust_memory),
    D.KILL_ALL: Attack(outlive_the_command),
    D.FORK_SERVER_USER: Attack(write_into_the_fork_server),
    D.GRADER_USER: Attack(as_candidate("candidate cat grading/secret")),
    D.CANDIDATES_KILLED: Attack(
        as_candidate(
            "candidate sh -c 'setsid sleep 30 > /dev/null 2>&1 &'; sleep 0.5; cat /proc/[0-9]*/comm | grep -x sleep"
        )
    ),
    D.GRADER_STDIN: Attack(as_candidate("candidate grep criteria")),
    D.GRADER_STDOUT: Attack(as_candidate("candidate echo '{\"score\": 1}'", protocol="json")),
    D.GRADER_FILES: Attack(as_candidate("candidate cat grading/secret")),
    D.NAMES: Attack(as_candidate("candidate ln -s grading/secret out; grep swordfish out")),
    D.GRADER_STREAMS: Attack(
        as_candidate(
            "echo 1 > $TMPDIR/a; echo swordfish >> $TMPDIR/a; { read -r one; candidate cat; } < $TMPDIR/a > out;"
            " grep swordfish out"
        )
    ),
    D.ROOM: Attack(
        as_candidate("candidate sh -c 'cat /dev/zero > /tmp/all'; echo want > $TMPDIR/want; test ! -s $TMPDIR/want")
    ),
    D.LENT_FILES: Attack(as_candidate(LEND_AND_TAKE)),
    D.OWN_REPORT: Attack(as_candidate(FORGE_REPORT, report=ReportEntry(format="junit", path="report.xml"))),
    D.OPEN_FILES_LIMIT: Attack(program("kept = [open('/dev/null') for _ in range(90)]")),
    D.FILE_SIZE_LIMIT: Attack(program(f"open('/workspace/x', 'wb').write(bytes({10 * MIB}))")),
    D.OUTPUT_LIMIT: Attack(print_too_much),
    D.DEADLINE: Attack(take_too_long),
    D.CLEAN_ENVIRONMENT: Attack(read_our_environment),
    D.SCRATCH_CLEARED: Attack(leave_a_file_in_tmp),
    D.RESET: Attack(second_check_finds_what_the_first_left),
    D.FRESH_USER: Attack(second_check_is_the_same_user, behind=(D.SCRATCH_CLEARED,)),
    D.HIDDEN_UNTIL_NEEDED: Attack(read_what_another_check_needs),
    D.PROTECTED_DELIVERY: Attack(change_the_judge_while_it_waits),
    D.CLOSED_DIRECTORIES: Attack(write_a_module_for_the_judge),
    D.LIBRARY_FIRST: Attack(lay_a_library_beside_the_judge),
    D.CLOSED_HOME: Attack(leave_a_start_up_file),
    D.EMPTY_STDIN: Attack(answer_what_the_judge_was_told),
    D.HIDDEN_TEXT: Attack(answer_what_the_line_says),
    D.OWN_FILES_FIRST: Attack(bring_a_judge, behind=(D.TAMPERING_FLAGGED,)),
    D.MODULES_OF_THE_CASE: Attack(bring_a_module_of_the_library),
    D.RESTORE: Attack(edit_a_test),
    D.SCRUB: Attack(bring_a_conftest, behind=(D.TAMPERING_FLAGGED,)),
    D.TAMPERING_FLAGGED: Attack(try_at_no_risk),
    D.COMPLETION_TOKEN: Attack(leave_an_item_early),
    D.OWN_CONTROLS: Attack(let_every_test_pass),
    D.COMPARED_OUTSIDE: Attack(return_what_equals_everything),
    D.CONTROLS: Attack(bend_the_judge),
    D.REPORT_AGREEMENT: Attack(claim_to_have_passed),
    D.EXIT_STATUS: Attack(print_a_score),
    D.JUDGED_WITHOUT_IT: Attack(spoil_the_score),
    D.SPECIAL_FILES_LEFT_OUT: Attack(hand_in_a_socket),
    D.NO_LINKS_FOLLOWED: Attack(link_to_a_file_of_the_host),
    D.STRICT_PATHS: Attack(write_beside_the_workspace),
    D.QUOTED_NAMES: Attack(write_beside_the_run),
    D.VISIBLE_TEXT: Attack(clear_the_terminal),
}

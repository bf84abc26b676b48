"""Services on a real engine: what an honest submission gets of them, and what a hostile one does not."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from grading_bench import write
from store_case import ASK, WORK, write_store_case

from gradebox.graders import Grader, Status, Task, load_case
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission

# Each prints BREACH if it gets what it must not get: the network, the names, the service's processes, its port.
_ATTACKS = (
    """
        import glob
        routes = open("/proc/net/route").read().splitlines()[1:]
        names = sorted(open("/proc/net/dev").read().split(":")[:-1])
        if routes or len(names) != 1:
            print("BREACH: interfaces", routes, names)
        for place in [("1.1.1.1", 53), ("172.17.0.1", 22), ("10.0.0.1", 80), ("169.254.169.254", 80)]:
            try:
                socket.create_connection(place, 2)
                print("BREACH: reached", place)
            except OSError as error:
                print(place, error)
        try:
            print("BREACH: resolved", socket.gethostbyname("deb.debian.org"))
        except OSError as error:
            print(error)
    """,
    """
        import os
        for name in ("/etc/hosts", "/etc/resolv.conf"):
            for act in (lambda: open(name, "a").write("127.0.0.9 store"), lambda: os.remove(name),
                        lambda: os.rename("/workspace/work.py", name), lambda: os.chmod(name, 0o777)):
                try:
                    act()
                    print("BREACH: changed", name)
                except OSError as error:
                    print(name, error)
    """,
    """
        import os
        for pid in filter(str.isdigit, os.listdir("/proc")):
            line = open(f"/proc/{pid}/cmdline").read()
            if "store" in line or "look" in line:
                print("BREACH: sees", line)
            if int(pid) not in (1, os.getpid()) and "work.py" not in line:
                try:
                    os.kill(int(pid), 9)
                    print("BREACH: killed", line)
                except OSError as error:
                    print(error)
        for place in ("/workspace/grading", "/workspace/data"):
            if os.path.exists(place):
                print("BREACH: files", os.listdir(place))
        if "only-of-the-service" in str(os.environ):
            print("BREACH: environment")
    """,
    """
        for family, address in [(2, "127.0.0.1"), (2, "0.0.0.0"), (2, "")]:
            for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
                server = socket.socket(family)
                server.setsockopt(socket.SOL_SOCKET, option, 1)
                try:
                    server.bind((address, 7000))
                    server.listen()
                    print("BREACH: took the port", address)
                except OSError as error:
                    print(error)
    """,
)
_FORGER = """
ask("put colour red")
try:
    ask("%s")
except OSError:
    pass
import os, time
while True:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        server.bind(("127.0.0.1", 7000))
        server.listen()
        break
    except OSError:
        time.sleep(0.02)
print("took the port")
if os.fork() == 0:
    os.setsid()
    while True:
        connection, _ = server.accept()
        connection.recv(99)
        connection.sendall(b"green\\n")
"""
SUBMISSIONS: Mapping[str, str] = {
    "honest": WORK,
    "wrong": WORK.replace("green", "red"),
    "idle": "pass\n",
    "kills": ASK + 'ask("put colour green")\ntry:\n    ask("die")\nexcept OSError:\n    pass\n',
    "exhausts": ASK + 'ask("put colour green")\ntry:\n    ask("eat")\nexcept OSError:\n    pass\n',
    "takes-the-place": ASK + _FORGER % "die",
    "silences-it": ASK + _FORGER % "hang",
    "breaks-out": WORK + "".join(map(textwrap.dedent, _ATTACKS)),
}
_ENDED = "The service store ended while the submission ran: "
# The verdict and the begin of its first reason.
EXPECTED = {
    "honest": (Status.PASSED, ""),
    "wrong": (Status.FAILED, "required check stored scored 0"),
    "idle": (Status.FAILED, "required check stored scored 0"),
    "kills": (Status.FAILED, f"{_ENDED}exit status 3. Its log ends with: the store is open | told to die"),
    "exhausts": (Status.FAILED, f"{_ENDED}out of memory"),
    "takes-the-place": (Status.FAILED, f"{_ENDED}exit status 3"),
    "breaks-out": (Status.PASSED, ""),
}


def graded(place: Path, names: Iterable[str], *, lasting: bool = False, jobs: int = 3) -> dict[str, Result]:
    case = load_case(write_store_case(place / "case", lasting=lasting))
    tasks = []
    for name in names:
        write(place / name, {"work.py": SUBMISSIONS[name]})
        tasks.append(Task(case, read_submission(place / name, name=name)))
    with Grader() as grader:
        return {result.submission: result for result in grader.grade_many(tasks, jobs=jobs)}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    return graded(tmp_path_factory.mktemp("services"), SUBMISSIONS)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_submission_gets_its_verdict(results: dict[str, Result], name: str) -> None:
    status, reason = EXPECTED[name]
    verdict = results[name].verdict
    assert verdict.status is status, verdict
    assert next(iter(verdict.reasons), "").startswith(reason), verdict.reasons


def test_nothing_but_the_port_of_the_service_can_be_reached(results: dict[str, Result]) -> None:
    (step,) = results["breaks-out"].verdict.checks[0].steps
    assert step.outcome.exit_code == 0, step.outcome.stderr.text()
    assert "BREACH" not in step.outcome.stdout.text()


def test_a_service_that_no_longer_listens_is_not_replaced_by_the_submission(results: dict[str, Result]) -> None:
    runs, stored = results["silences-it"].verdict.checks
    assert "took the port" in runs.steps[0].outcome.stdout.text()
    assert stored.status is Status.FAILED
    assert "ConnectionRefusedError" in stored.steps[0].outcome.stderr.text()


def test_the_verdict_names_the_image_of_the_service(results: dict[str, Result]) -> None:
    honest = results["honest"]
    assert honest.services == {"store": honest.image_id}
    assert honest.not_enforced == ()


def test_a_service_that_lasts_is_reset_and_replaced_where_a_submission_has_ended_it(tmp_path: Path) -> None:
    names = ["honest", "idle", "kills", "breaks-out"]
    found = graded(tmp_path, names, lasting=True, jobs=1)
    # What the honest one stored is not there for the idle one.
    assert [found[name].verdict.status for name in names] == [EXPECTED[name][0] for name in names]

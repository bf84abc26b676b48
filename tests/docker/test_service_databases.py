"""PostgreSQL and Redis as services: their images are built from Debian's packages, which takes minutes."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from grading_bench import write

from gradebox.graders import Grader, Status, Task, load_case
from gradebox.graders.grading.case_images.case_images import CaseImages
from gradebox.graders.model.result import Result
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "give-a-case-a-database.md").read_text("utf-8")
FILES = dict(re.findall(r"```\w+\n# (\S+/\S+)\n(.*?)```", PAGE, re.DOTALL))
(CACHE,) = re.findall(r"## Redis\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)


def graded(engine: DockerEngine, case: Path, works: Mapping[str, str], file: str) -> dict[str, Result]:
    loaded = load_case(case)
    CaseImages(engine).make_all([loaded])
    tasks = []
    for name, text in works.items():
        write(case.parent / name, {file: textwrap.dedent(text)})
        tasks.append(Task(loaded, read_submission(case.parent / name, name=name)))
    with Grader(engine=engine) as grader:
        return {result.submission: result for result in grader.grade_many(tasks)}


ORDER = """
import psycopg2

connection = psycopg2.connect("")
connection.autocommit = True
cursor = connection.cursor()
cursor.execute("INSERT INTO orders VALUES ('apples', 3)")
"""
# Each statement would give more than the case does.
STATEMENTS = (
    "COPY orders FROM PROGRAM 'id'",
    "COPY (SELECT 1) TO '/workspace/data/x'",
    "SELECT pg_read_file('/tmp/password')",
    "SET ROLE postgres",
    "ALTER ROLE shop SUPERUSER",
    "CREATE DATABASE other",
    "DROP TABLE orders",
    "UPDATE orders SET count = 4",
    "CREATE RULE own AS ON SELECT TO orders DO INSTEAD SELECT 'apples'::text AS fruit, 3 AS count",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
    "ALTER SYSTEM SET port = 1",
    "CREATE EXTENSION file_fdw",
    "LOAD '/workspace/work.so'",
)


def test_a_submission_does_with_postgresql_what_its_user_may_and_no_more(engine: DockerEngine, tmp_path: Path) -> None:
    write(tmp_path, FILES)
    attack = f"""{ORDER}
for statement in {STATEMENTS!r}:
    try:
        cursor.execute(statement)
        print("BREACH:", statement, cursor.statusmessage)
    except psycopg2.Error as error:
        print(type(error).__name__)
try:
    psycopg2.connect("", user="postgres", password="apples")
    print("BREACH: is an administrator")
except psycopg2.OperationalError:
    pass
"""
    crowd = f"""{ORDER}
held = []
while len(held) < 500:
    try:
        held.append(psycopg2.connect(""))
    except psycopg2.OperationalError as error:
        print(len(held), "connections")
        break
"""
    found = graded(
        engine, tmp_path / "shop", {"honest": ORDER, "attack": attack, "crowd": crowd, "idle": "pass"}, "order.py"
    )
    verdicts = {name: result.verdict.status for name, result in found.items()}
    assert verdicts == {
        "honest": Status.PASSED, "attack": Status.PASSED, "crowd": Status.PASSED, "idle": Status.FAILED
    }  # fmt: skip
    printed = {name: result.verdict.checks[0].steps[0].outcome.stdout.text() for name, result in found.items()}
    assert "BREACH" not in printed["attack"]
    assert printed["attack"].count("\n") == len(STATEMENTS)
    assert "connections" in printed["crowd"]


HOLD = f"""{ORDER}
import threading
import time

def hold():
    while True:
        try:
            psycopg2.connect("dbname=postgres").cursor().execute("SELECT pg_sleep(100000)")
        except psycopg2.OperationalError:
            time.sleep(0.1)

for _ in range(100):
    threading.Thread(target=hold, daemon=True).start()
until = time.monotonic() + 30
while time.monotonic() < until:
    cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'")
    if cursor.fetchone()[0] > 90:
        break
connection.close()
time.sleep(1)
"""


def test_a_submission_leaves_no_session_to_the_next_one(engine: DockerEngine, tmp_path: Path) -> None:
    lasting = FILES["shop/case.yaml"].replace("    reset:", "    per: run\n    reset:")
    write(tmp_path, {**FILES, "shop/case.yaml": lasting})
    found = graded(engine, tmp_path / "shop", {"holds": HOLD, "honest": ORDER}, "order.py")
    assert [result.verdict.status for result in found.values()] == [Status.PASSED, Status.PASSED], found


ASK = """
import socket

def ask(*words):
    with socket.create_connection(("cache", 6379)) as connection:
        connection.sendall(("\\r\\n".join(words) + "\\r\\n").encode())
        return connection.recv(4096).decode()
"""


def test_redis_serves_one_submission_after_the_other(engine: DockerEngine, tmp_path: Path) -> None:
    check = "redis-cli -h cache get colour | grep -x green"
    checks = [
        {"name": "runs", "type": "code-grader", "command": ["python3", "work.py"]},
        {"name": "stored", "type": "code-grader", "command": check, "after": "candidate", "required": True},
    ]
    services = yaml.safe_load(CACHE)["services"]
    services["cache"] |= {"per": "run", "reset": ["redis-cli", "-h", "cache", "FLUSHALL"]}
    case = {"image": "gradebox/python", "services": services, "assertions": checks}
    write(tmp_path, {"case/case.yaml": yaml.safe_dump(case), "case/workspace/README": "Write work.py."})
    works = {
        "honest": ASK + 'print(ask("SET colour green"))',
        "idle": "pass",
        "kills": ASK + 'ask("SET colour green")\nask("SHUTDOWN NOSAVE")',
        "fills": ASK + 'ask("SET colour green")\nfor i in range(3000):\n    ask(f"SETRANGE k{i} 1000000 x")',
        "again": ASK + 'print(ask("SET colour green"))',
    }
    found = graded(engine, tmp_path / "case", works, "work.py")
    statuses = [found[name].verdict.status for name in works]
    assert statuses == [Status.PASSED, Status.FAILED, Status.FAILED, Status.FAILED, Status.PASSED]
    assert found["idle"].verdict.reasons == ("required check stored scored 0, needs 0.8 (exit status 1)",)
    for name, end in (("kills", "exit status 0"), ("fills", "out of memory")):
        assert found[name].verdict.reasons[0].startswith(f"The service cache ended while the submission ran: {end}")

"""Hashes are equal for equal gradings, and differ with anything that a verdict depends on."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from grading_bench import Bench, check
from service_bench import STORE

from gradebox.graders.grading.fingerprint import WORKSPACE, content_key, plan_hashes
from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.plan import Plan
from gradebox.graders.model.service import Service
from gradebox.graders.model.submission import UNTOUCHED


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def key(plan: Plan, **changes: str) -> str:
    words = {"image_id": "id", "sandbox": "default ", **changes}
    return content_key(plan, **words)


def test_equal_plans_have_equal_hashes_wherever_the_case_lies(tmp_path: Path) -> None:
    plans = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        bench = Bench(tmp_path / name)
        case = bench.case(check("judge"), files={"workspace/a": "1", "grading/t": "t"})
        plans.append(prepare(case, bench.submission({"a": "2"}), image="image"))
    assert key(plans[0]) == key(plans[1])
    assert plan_hashes(plans[0]) == plan_hashes(plans[1])
    assert key(plans[0]) != key(plans[1], image_id="other")
    assert key(plans[0]) != key(plans[1], sandbox="strict ")


def test_what_a_service_is_and_its_image_and_files_are_part_of_the_hashes(bench: Bench) -> None:
    def planned(service: Service, start: str) -> Plan:
        case = bench.case(check("judge"), services=(service,), files={"grading/start.sh": start})
        return prepare(case, UNTOUCHED, image="image")

    service = replace(STORE, command=("sh", "grading/start.sh"))
    plan = planned(service, "one")
    same, other = planned(service, "one"), planned(replace(service, env={"A": "b"}), "one")
    assert (key(plan), plan_hashes(plan)[WORKSPACE]) == (key(same), plan_hashes(same)[WORKSPACE])
    assert key(plan) != key(other)
    assert plan_hashes(plan)[WORKSPACE] != plan_hashes(other)[WORKSPACE]
    by_image = (content_key(plan, image_id="id", sandbox="default ", services={"store": one}) for one in "12")
    assert len({key(plan), *by_image}) == 3
    before = plan_hashes(plan)[WORKSPACE]
    assert plan_hashes(planned(service, "two"))[WORKSPACE] != before


def test_a_file_that_a_check_names_changes_its_hash_alone(bench: Bench) -> None:
    def hashes(content: str) -> tuple[str, dict[str, str]]:
        checks = check("sh grading/t", name="named"), check("judge", name="other")
        case = bench.case(*checks, files={"workspace/a": "1", "grading/t": content})
        plan = prepare(case, UNTOUCHED, image="image")
        return key(plan), plan_hashes(plan)

    (first_key, first), (second_key, second) = hashes("1"), hashes("2")
    assert first_key != second_key
    assert {name for name in first if first[name] != second[name]} == {"named"}
    assert WORKSPACE in first


PROGRAM = """
from pathlib import Path
from gradebox.graders.grading.fingerprint import plan_hashes
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.plan import Plan
from gradebox.sandbox.limits import Limits
case = Case("case", Place(Path("case.yaml")), Path("/case"), ())
print(plan_hashes(Plan(case, limits=Limits(stated=frozenset({"cpus", "pids", "memory_bytes", "disk_bytes"})))))
"""


def test_hashes_are_the_same_in_every_process() -> None:
    """A run is scored again by another process, in which sets of names have another order."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1

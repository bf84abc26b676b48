"""The commands of a service become steps, with the files that any of them names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from grading_bench import Bench, check
from service_bench import STORE

from gradebox.graders.grading.prepare import prepare
from gradebox.graders.model.plan import Role
from gradebox.graders.model.service import Ready
from gradebox.graders.model.submission import UNTOUCHED


def test_a_service_has_a_step_for_each_of_its_commands_and_all_of_their_files(tmp_path: Path) -> None:
    service = replace(
        STORE,
        command=("sh", "grading/start.sh"),
        ready=Ready(command=("sh", "up.sh")),
        reset=("sh", "db/reset.sh"),
        env={"A": "b"},
    )
    files = {"grading/start.sh": "", "grading/schema.sql": "", "up.sh": "", "db/reset.sh": "", "other": ""}
    case = Bench(tmp_path).case(check("run"), services=(service,), files=files, env={"C": "d"})
    (plan,) = prepare(case, UNTOUCHED, image="image").services
    assert [step.role for step in plan.stage.steps] == [Role.SERVICE, Role.READY, Role.RESET]
    assert [entry.path for entry in plan.stage.delivered if entry.kind == "file"] == [
        "db/reset.sh",
        "grading/schema.sql",
        "grading/start.sh",
        "up.sh",
    ]
    assert [dict(step.env) for step in plan.stage.steps] == [{"A": "b"}] * 3


def test_a_service_without_further_commands_has_one_step(tmp_path: Path) -> None:
    case = Bench(tmp_path).case(check("run"), services=(STORE,))
    (plan,) = prepare(case, UNTOUCHED, image="image").services
    assert plan.step(Role.SERVICE) is not None
    assert plan.step(Role.READY) is None
    assert plan.step(Role.RESET) is None

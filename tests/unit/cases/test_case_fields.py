"""The models of cases and suites: keys that belong elsewhere, names that both have, and fields that decide nothing."""

from __future__ import annotations

import json
from typing import get_origin

import pytest
from world import CHECK, World, the_run

from gradebox.graders.cases.case_fields import KEPT, CaseEntry, DockerEntry, SuiteEntry
from gradebox.graders.cases.case_limits import LimitsEntry
from gradebox.graders.cases.execution_documents import ExecutionEntry
from gradebox.graders.cli.main import run
from gradebox.graders.documents.entries import homes, spellings


def test_keys_of_execution_and_docker_are_those_that_are_names_of_the_cases_fields() -> None:
    assert {"evaluators", "assertions", "memory", "cpus", "limits", "threshold"} <= set(ExecutionEntry.known_keys())
    assert set(DockerEntry.known_keys()) == {"image", "memory", "cpus", "timeout"}


def test_a_key_that_belongs_to_a_mapping_of_the_case_has_a_home_there() -> None:
    assert homes(CaseEntry)["memory"] == "limits"
    assert homes(CaseEntry)["threshold"] == "execution"


def test_limits_have_the_same_names_in_cases_and_suites() -> None:
    limits = {name: others for name, others in spellings(CaseEntry).items() if name.startswith("limits.")}
    assert limits == {name: others for name, others in spellings(SuiteEntry).items() if name.startswith("limits.")}
    assert {name.removeprefix("limits.") for name in limits} == set(LimitsEntry.model_fields)


@pytest.mark.parametrize("name", [name for name, field in CaseEntry.model_fields.items() if KEPT in field.metadata])
def test_a_field_that_is_marked_as_kept_is_shown_everywhere_and_selectable(
    world: World, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    is_mapping = get_origin(CaseEntry.model_fields[name].annotation) is dict
    written = {"inner": "seen here"} if is_mapping else "seen here"
    world.write("kept/case.yaml", f"{name}: {json.dumps(written)}\n{CHECK}")
    world.write("plain/case.yaml", CHECK)
    kept = (written, ["seen here"])
    condition = f"{name}{'.inner' if is_mapping else ''}=*here"
    assert run(["list", "kept", "plain", "--json", "--where", condition]) == 0
    assert json.loads(capsys.readouterr().out)[name] in kept
    run(["-c", "kept", "-c", "plain", "--where", condition, "-s", "work/two", "--json", "-q"])
    assert json.loads(capsys.readouterr().out)["about"][name] in kept
    for form in ("json", "html", "junit"):
        run(["report", str(the_run()), "-f", form])
        assert "seen here" in capsys.readouterr().out


def test_a_case_has_what_its_suite_says_of_itself(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    case = {"id": "a", "license": "MIT", "governance": {"risk": "low"}, "assertions": [{"type": "cost", "budget": 1}]}
    suite = {"author": "ann", "license": "none", "governance": {"owner": "x"}, "tests": [case]}
    world.write("suite.eval.yaml", json.dumps(suite))
    assert run(["list", "suite.eval.yaml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["author"], found["license"]) == (["ann"], "MIT")
    assert found["governance"] == {"owner": "x", "risk": "low"}

"""The models of cases and suites: keys that belong elsewhere, and names that both have."""

from __future__ import annotations

from graders.cases.documents import CaseEntry, DockerEntry, LimitsEntry, SuiteEntry
from graders.cases.execution_documents import ExecutionEntry
from graders.documents.entries import homes, spellings


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

"""Which cases a command line means, to every command alike, and what becomes of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import CASE, Grade
from grading_bench import write

from gradebox.graders.cases.select import Selection
from gradebox.graders.cli.selection import load_and_select
from gradebox.graders.errors import ExitCode


@pytest.fixture
def shelf(tmp_path: Path) -> None:
    for name, tags in (("auth-basic", "[web, slow]"), ("auth-token", "[web]"), ("parser", "[text]")):
        write(tmp_path, {f"shelf/{name}/case.yaml": f"tags: {tags}\ncategory: {name}\n{CASE}"})


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ([], ["auth-basic", "auth-token", "parser"]),
        (["-k", "auth-*"], ["auth-basic", "auth-token"]),
        (["-k", "parser", "-k", "*token"], ["auth-token", "parser"]),
        (["--tag", "text", "--tag", "slow"], ["auth-basic", "parser"]),
        (["--tag", "web", "--exclude-tag", "slow"], ["auth-token"]),
        (["-k", "auth-*", "--exclude-tag", "web"], []),
        (["-k", "AUTH"], ["auth-basic", "auth-token"]),
        (["-k", "auth and not tok"], ["auth-basic"]),
        (["-k", "auht"], []),
        (["--where", "category=*token"], ["auth-token"]),
    ],
)
def test_filters_mean_the_same_to_every_command(grade: Grade, shelf: None, filters: list[str], ids: list[str]) -> None:
    listed = grade("list", "shelf", "--json", *filters)
    graded = grade("--case", "shelf", "--json", "-q", *filters)
    checked = grade("check", "shelf", "--json", "-n", "1", *filters)
    assert [found["id"] for found in listed.objects] == ids
    assert [found["case"] for found in graded.objects] == ids
    assert [found["case"] for found in checked.objects] == ids
    if not ids:
        assert {listed.code, graded.code, checked.code} == {ExitCode.NOTHING_SELECTED}
        assert " ".join(filters) + " selects none of 3 cases." in listed.err


def test_a_filter_that_does_not_select_the_only_case_says_so(grade: Grade, shelf: None) -> None:
    listed = grade("list", "shelf/parser", "-k", "x")
    assert "-k x does not select the only case." in listed.err


def test_a_path_that_leads_nowhere_is_no_mistake_in_a_case(grade: Grade, shelf: None) -> None:
    assert grade("list", "shlef").err.splitlines()[-1] == "grade: Nothing was graded."
    write(Path(), {"broken/case.yaml": "tgas: [txet]\n"})
    assert "in the case; nothing was graded." in grade("list", "broken").err


@pytest.mark.parametrize(
    ("filters", "told"),
    [
        (["-k", "parser", "-k", "auth-bsaic"], "-k auth-bsaic matches no case. Did you mean `auth-basic`?"),
        (["--tag", "web", "--tag", "txet"], "--tag txet names a tag that no case has. Did you mean `text`?"),
        (["--exclude-tag", "zzz"], "--exclude-tag zzz names a tag that no case has."),
        (["-k", "auth-*", "--exclude-tag", "slow"], ""),
    ],
)
def test_what_of_a_selection_selects_nothing_is_told(grade: Grade, shelf: None, filters: list[str], told: str) -> None:
    for command in (["list", "shelf"], ["--case", "shelf", "-q"], ["check", "shelf", "-n", "1", "-q"]):
        assert grade(*command, *filters).err.splitlines()[:1] == ([told] if told else [])
    # A broken case may have any tags.
    write(Path(), {"shelf/broken/case.yaml": "tgas: [txet]\n"})
    assert ("names a tag" in grade("list", "shelf", *filters).err) is False
    assert ("matches no case" in grade("list", "shelf", *filters).err) is told.startswith("-k")


def test_where_nothing_is_selected_the_nearest_name_is_told(grade: Grade, shelf: None, no_engine: None) -> None:
    assert "Did you mean `parser`?" in grade("list", "shelf", "-k", "praser").err
    assert "`grade list` shows ids and tags." in grade("list", "shelf", "-k", "zzz*").err


def test_broken_cases_are_reported_and_the_others_graded_in_order(grade: Grade, tmp_path: Path) -> None:
    write(tmp_path, {"suite/EVAL.yaml": "tests: ./cases/\nimage: image\n"})
    for name in ("c", "a", "d", "b"):
        write(tmp_path, {f"suite/cases/{name}/case.yaml": CASE, f"suite/cases/{name}/workspace/answer": "right"})
    write(tmp_path, {"suite/cases/b/case.yaml": f"{CASE}    wieght: 2\n"})
    ran = grade("--case", "suite", "--json", "-j", "4")
    assert [(found["case"], found["verdict"]) for found in ran.objects] == [(name, "passed") for name in "acd"]
    assert ran.code == ExitCode.NOT_GRADED
    assert "cases/b/case.yaml:" in ran.err
    # What is not meant does not matter.
    assert grade("--case", "suite", "-k", "[acd]").code == ExitCode.PASSED
    ran = grade("--case", "suite/cases/d", "--case", "suite/cases/a", "--case", "suite/cases/d", "--json")
    assert [found["case"] for found in ran.objects] == ["d", "a"]


def test_what_depends_on_a_broken_case_is_told_so(grade: Grade, tmp_path: Path) -> None:
    write(tmp_path, {"suite/EVAL.yaml": "tests: ./cases/\nimage: image\n"})
    for name, more in (("a", "wieght: 2\n"), ("b", "depends_on: a\n"), ("c", "")):
        files = {"case.yaml": more + CASE, "workspace/answer": "right"}
        write(tmp_path, {f"suite/cases/{name}/{path}": text for path, text in files.items()})
    ran = grade("--case", "suite", "--json")
    assert [(found["case"], found["verdict"]) for found in ran.objects] == [("b", "not_judged"), ("c", "passed")]
    assert ran.objects[0]["reasons"] == ["not run: it depends on a, which is broken"]
    assert ran.code == ExitCode.NOT_GRADED
    # Whoever leaves the broken one out is not kept waiting for it.
    ran = grade("--case", "suite", "-k", "[bc]", "--json")
    assert [(found["case"], found["verdict"]) for found in ran.objects] == [("b", "passed"), ("c", "passed")]
    assert ran.code == ExitCode.PASSED


def test_two_cases_of_one_id_are_refused_with_both_places(grade: Grade, no_engine: None) -> None:
    write(Path(), {"one/case.yaml": f"id: same\n{CASE}", "two/case.yaml": f"id: same\n{CASE}"})
    ran = grade("--case", "one", "--case", "two")
    assert ran.code == ExitCode.USAGE
    assert "one/case.yaml" in ran.err
    assert "two/case.yaml" in ran.err


def test_a_factor_multiplies_the_limits_of_time_of_selected_cases(shelf: None, tmp_path: Path) -> None:
    chosen = load_and_select([tmp_path / "shelf"], Selection(("auth-*",)), 2.5).chosen
    assert [(case.limit_seconds(None), case.whole_seconds) for case in chosen.cases] == [(150.0, 750.0)] * 2

"""The commands for those who write cases, in one process: what they print, what they end with, what they ask."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fake_engine import FakeEnd, FakeEngine, FakeRun
from grading_bench import FAIL, PASS, Watch, write

from graders.authoring.case_quality import prove
from graders.cases import load
from graders.cli.main import run
from graders.errors import ExitCode
from sandbox.engines import docker

CASE = """
image: image
assertions:
  - {name: answer, type: code-grader, command: [look], required: true}
"""
RIGHT = {"case/reference/answer": "right"}


class Ran(NamedTuple):
    """What a command line left."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


Grade = Callable[..., Ran]


def look(run: FakeRun) -> FakeEnd:
    return PASS if run.files.get("answer") == b"right" else FAIL


@pytest.fixture
def watch() -> Watch:
    return Watch({"look": look, "fail": FAIL})


@pytest.fixture
def engine(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    engine = FakeEngine(watch)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    return engine


@pytest.fixture
def grade(
    engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Grade:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str) -> Ran:
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def no_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("an engine was asked")

    monkeypatch.setattr(docker, "connect", refuse)


# validate


def test_every_mistake_of_every_path_has_its_place(grade: Grade, no_engine: None) -> None:
    write(Path(), {"one/case.yaml": f"{CASE}    wieght: 2\nthresold: 1\n", "two/case.yaml": CASE})
    write(Path(), {"three/case.yaml": "assertions: [{type: code-grader}]\n"})
    ran = grade("validate", "one", "two", "three")
    assert ran.code == ExitCode.USAGE
    places = [line.split(": ")[0] for line in ran.out.splitlines()]
    one, three = Path("one/case.yaml").resolve(), Path("three/case.yaml").resolve()
    assert f"{three}:1:14" in places
    assert [place for place in places if place.startswith(str(one))] != []
    assert "1 case is fine, 2 are not: " in ran.err


def test_mistakes_as_json_are_one_object_each_and_alone_on_stdout(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("required", "requird")})
    ran = grade("validate", "case", "--json")
    (found,) = ran.objects
    assert (found["file"], found["line"], found["column"]) == (str(Path("case/case.yaml").resolve()), 4, 56)
    assert (found["path"], found["severity"]) == ("assertions[0].requird", "error")
    assert "required" in found["hint"]
    assert ran.code == ExitCode.USAGE


def test_warnings_count_when_strict(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("required: true", "min_score: 0.5")})
    ran = grade("validate", "case")
    assert (ran.code, "warning" in ran.out) == (ExitCode.PASSED, True)
    assert ran.err == "1 case is fine: 0 errors, 1 warning.\n"
    assert grade("validate", "case", "--strict").code == ExitCode.USAGE


def test_fine_cases_are_counted_and_nothing_else_is_said(grade: Grade, no_engine: None) -> None:
    write(Path(), {"a/case.yaml": CASE, "b/case.yaml": CASE})
    assert grade("validate", "a", "b", "--strict") == (ExitCode.PASSED, "", "2 cases are fine.\n")


# list and filters


@pytest.fixture
def shelf(tmp_path: Path) -> None:
    for name, tags in (("auth-basic", "[web, slow]"), ("auth-token", "[web]"), ("parser", "[text]")):
        write(tmp_path, {f"shelf/{name}/case.yaml": f"tags: {tags}\n{CASE}"})


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ([], ["auth-basic", "auth-token", "parser"]),
        (["-k", "auth-*"], ["auth-basic", "auth-token"]),
        (["-k", "parser", "-k", "*token"], ["auth-token", "parser"]),
        (["--tag", "text", "--tag", "slow"], ["auth-basic", "parser"]),
        (["--tag", "web", "--exclude-tag", "slow"], ["auth-token"]),
        (["-k", "auth-*", "--exclude-tag", "web"], []),
        (["-k", "auth"], []),
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
        assert "None of 3 cases is selected by " + " ".join(filters) in listed.err


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


def test_a_list_has_what_one_looks_for(grade: Grade, no_engine: None) -> None:
    write(Path(), {"case/case.yaml": f"category: web\ntags: [a, b]\nexecution: {{targets: [x, y]}}\n{CASE}"})
    ran = grade("list", "case", "--json")
    assert [found["target"] for found in ran.objects] == ["x", "y"]
    found = ran.objects[0]
    assert (found["id"], found["category"], found["tags"], found["line"]) == ("case", "web", ["a", "b"], 1)
    assert found["checks"] == [{"name": "answer", "type": "code-grader", "weight": 1.0, "required": True}]
    text = grade("list", "case").out
    assert all(word in text for word in ("case", "web", "a, b", "answer", f"{Path('case/case.yaml').resolve()}:1:1"))


# grade with several cases


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


# init


@pytest.mark.parametrize("language", ["python", "bash"])
def test_a_new_case_has_no_mistakes(grade: Grade, no_engine: None, language: str) -> None:
    ran = grade("init", "new", "--language", language)
    assert (ran.code, "grade check new" in ran.err) == (ExitCode.PASSED, True)
    loaded = load(Path("new"))
    assert (loaded.diagnostics, [case.language for case in loaded.cases]) == ((), [language])
    assert grade("validate", "new", "--strict").code == ExitCode.PASSED


def test_nothing_that_is_there_is_overwritten(grade: Grade, tmp_path: Path) -> None:
    write(tmp_path, {"full/notes": "mine", "file": "mine"})
    (tmp_path / "link").symlink_to("nowhere")
    for name in ("full", "file", "link"):
        assert grade("init", name).code == ExitCode.USAGE
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "link", "notes"]
    (tmp_path / "empty").mkdir()
    assert grade("init", "empty").code == ExitCode.PASSED


# check


def findings(ran: Ran) -> list[tuple[str, str, str]]:
    (found,) = ran.objects
    return [(one["level"], one["submission"], one["check"]) for one in found["findings"]]


def test_a_fair_case_is_proven(grade: Grade, watch: Watch) -> None:
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.PASSED
    assert "PROVEN  case" in ran.out
    assert "The reference passed in 3 of 3 runs (score 1.000)." in ran.out
    assert "The untouched workspace failed in 3 of 3 runs (score 0.000)." in ran.out
    assert len(watch.runs) == 6
    assert "1 case: 1 proven" in ran.err


def test_an_empty_submission_that_passes_is_unfair(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("look", "anything"), **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.FAILED
    assert "UNFAIR  case" in ran.out
    assert "an empty submission passes" in ran.out
    assert "The check answer has never been seen to fail in 6 runs." in ran.out


@pytest.mark.parametrize(
    ("command", "warned"),
    [
        ("pip install -e . && pytest -q", "runs pytest"),
        ("coverage run -m unittest discover", "runs unittest"),
        ("pytest -q", ""),
        ("sh grading/pytest.sh", ""),
    ],
)
def test_tests_that_no_adapter_watches_are_told(tmp_path: Path, command: str, warned: str) -> None:
    write(tmp_path, {"case/case.yaml": CASE.replace("[look]", f"[sh, -c, {command!r}]")})
    (case,) = load(tmp_path / "case").cases
    told = [finding.message for finding in prove(case, [])]
    assert [message for message in told if warned in message] == told
    assert bool(told) == bool(warned)
    assert (
        prove(
            replace(case, checks=tuple(check.model_copy(update={"control": check.command}) for check in case.checks)),
            [],
        )
        == ()
    )


def test_a_reference_that_does_not_pass_is_unfair_and_its_gate_unreachable(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, "case/reference/answer": "wrong"})
    ran = grade("check", "case", "--json")
    assert ran.code == ExitCode.FAILED
    assert findings(ran) == [("unfair", "reference", ""), ("unfair", "reference", "answer")]


def test_a_reference_must_have_the_full_score(grade: Grade) -> None:
    extra = "  - {name: hopeless, type: code-grader, command: [fail], weight: 0.1}\n"
    write(Path(), {"case/case.yaml": CASE + extra, **RIGHT})
    ran = grade("check", "case")
    assert ran.code == ExitCode.FAILED
    assert "The reference passed with score 0.9091 in 3 of 3 runs and must pass with score 1" in ran.out


def test_without_a_reference_nothing_is_proven(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE})
    ran = grade("check", "case", "--json")
    assert (ran.code, findings(ran)) == (ExitCode.FAILED, [("unfair", "", "")])


@pytest.mark.parametrize(("control", "code"), [("fail", ExitCode.PASSED), ("anything", ExitCode.FAILED)])
def test_a_control_must_fail_on_the_reference(grade: Grade, control: str, code: ExitCode) -> None:
    write(Path(), {"case/case.yaml": CASE.replace("[look]", f"[look], control: [{control}]"), **RIGHT})
    ran = grade("check", "case")
    assert ran.code == code
    told = (
        "1 of 1 controls failed on it" if code is ExitCode.PASSED else "The control of answer passed on the reference"
    )
    assert told in ran.out


def test_repeats_that_disagree_are_told_with_the_place(grade: Grade, watch: Watch) -> None:
    count = 0

    def flaky(run: FakeRun) -> FakeEnd:
        nonlocal count
        count += 1
        return FAIL if count == 3 else look(run)

    watch.acts = {"look": flaky}
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case", "--repeat", "4")
    assert ran.code == ExitCode.FAILED
    assert "The reference passed in 3 of 4 runs (score 1.000, 0.000)." in ran.out
    assert (
        "The reference was graded otherwise in run 3 than in run 1: verdict was 'passed' and then 'failed'" in ran.out
    )


def test_times_and_ids_are_no_disagreement(grade: Grade) -> None:
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    assert grade("check", "case", "--repeat", "20").code == ExitCode.PASSED


VERDICTS = """
reference: {verdict: passed, score: 1}
nothing-done: {verdict: failed, score: 0, checks: {answer: 0}}
as-a-diff: {verdict: passed, checks: {answer: 1}}
"""
DIFF = "--- /dev/null\n+++ b/answer\n@@ -0,0 +1 @@\n+right\n\\ No newline at end of file\n"
SUBMISSIONS = {
    "case/case.yaml": CASE,
    **RIGHT,
    "case/submissions/nothing-done/NOTES.md": "",
    "case/submissions/as-a-diff.diff": DIFF,
    "case/submissions/verdicts.yaml": VERDICTS,
}


def test_submissions_get_what_is_written(grade: Grade, watch: Watch) -> None:
    write(Path(), SUBMISSIONS)
    ran = grade("check", "case", "-n", "1")
    assert ran.code == ExitCode.PASSED, ran.out
    assert "2 of 2 submissions got the verdict that is written beside them." in ran.out
    assert len(watch.runs) == 4
    assert grade("check", "case", "-n", "1", "--no-submissions").code == ExitCode.PASSED
    assert len(watch.runs) == 6


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "nothing-done: {verdict: failed",
            "nothing-done: {verdict: passed",
            "failed with score 0, and passed is written",
        ),
        ("checks: {answer: 1}", "checks: {answer: 0.5}", "got score 1 in answer, and 0.5 is written"),
        ("verdict: passed, score: 1}", "verdict: passed, score: 0.9}", "The reference got score 1, and 0.9 is written"),
        ("as-a-diff:", "as-a-dif:", "there is no submission `as-a-dif`"),
        ("answer: 0", "anwser: 0", "the case has no check `anwser`"),
        ("{verdict: failed", "{vredict: failed", "verdicts.yaml:3:16"),
        ("{verdict: failed", "failed # {", "Write `nothing-done: {verdict: ...}`."),
        ("as-a-diff: {verdict: passed, checks: {answer: 1}}", "", "as-a-diff.diff: has no verdict"),
    ],
)
def test_what_is_written_and_not_so_is_unfair(grade: Grade, old: str, new: str, finding: str) -> None:
    assert old in VERDICTS
    write(Path(), {**SUBMISSIONS, "case/submissions/verdicts.yaml": VERDICTS.replace(old, new)})
    ran = grade("check", "case", "-n", "1")
    assert ran.code == ExitCode.FAILED
    assert finding in ran.out


def test_a_third_may_be_rounded(grade: Grade) -> None:
    extra = "  - {name: more, type: code-grader, command: [look], weight: 0.5}\n"
    written = "wrong: {verdict: failed, score: 0.667}\n"
    text = f"{CASE}{extra}".replace("[look], required", "[half], required")
    write(Path(), {"case/case.yaml": text, **RIGHT, "case/submissions/verdicts.yaml": written})
    write(Path(), {"case/submissions/wrong/answer": "half"})
    assert "1 of 1 submission got" in grade("check", "case", "-n", "1").out


def test_what_cannot_be_graded_proves_nothing(grade: Grade, watch: Watch) -> None:
    watch.acts = {"look": FakeEnd(lost=True)}
    write(Path(), {"case/case.yaml": CASE, **RIGHT})
    ran = grade("check", "case", "-n", "1")
    assert ran.code == ExitCode.NOT_GRADED
    assert "NOT GRADED  case" in ran.out
    assert "The reference could not be graded: " in ran.out


def test_a_broken_case_beside_a_fair_one_is_exit_code_4(grade: Grade) -> None:
    write(
        Path(), {"all/fair/case.yaml": CASE, "all/fair/reference/answer": "right", "all/broken/case.yaml": "tgas: []"}
    )
    ran = grade("check", "all")
    assert ran.code == ExitCode.NOT_GRADED
    assert "PROVEN  fair" in ran.out
    assert "all/broken/case.yaml:1:1" in ran.err


def test_a_reference_that_is_text_in_the_case_is_proven_too(grade: Grade, watch: Watch) -> None:
    watch.acts = {"look": lambda run: PASS if run.files.get("solution.py") == b"x = 1\ny = 2\n" else FAIL}
    text = f"language: python\nreference_solution: |\n  x = 1\n  y = 2\n{CASE}"
    write(Path(), {"case/case.yaml": text})
    assert grade("check", "case").code == ExitCode.PASSED

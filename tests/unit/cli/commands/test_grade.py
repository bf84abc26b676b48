"""What the commands do with what was asked: which submissions, which order, which exit code, which plan."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from fake_engine import FakeEngine
from grading_bench import FAIL, PASS, write
from hand_ins import NOT, RIGHT, write_hand_ins
from unpacked import unpacked

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import decide
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.engine import EngineInfo

CHECK = 'assertions: [{type: code-grader, command: ["check"]}]\n'
DIFF = b"--- /dev/null\n+++ b/answer\n@@ -0,0 +1 @@\n+right\n"
GRADED = Result("0", "case", "work", decide([], threshold=0.8), datetime(2026, 1, 31, tzinfo=UTC))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    engine = FakeEngine(lambda run: PASS if run.files.get("answer") == b"right\n" else FAIL)
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in ("one", "two"):
        write(tmp_path, {f"{name}/case.yaml": f"image: image\n{CHECK}"})
    return engine


Lines = Callable[..., list[tuple[str, str, str]]]


@pytest.fixture
def graded(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> Lines:
    """Run a command line; return case, submission and verdict of each line on stdout."""

    def call(*arguments: str) -> list[tuple[str, str, str]]:
        run([*arguments, "--json", "--quiet"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return [(line["case"], line["submission"], line["verdict"]) for line in lines]

    return call


def test_every_case_is_graded_with_every_submission_in_the_order_in_which_they_were_named(graded: Lines) -> None:
    write(Path(), {"b/answer": "right\n", "a/answer": ""})
    assert graded("-c", "two", "-c", "one", "-s", "b", "-s", "a", "-j", "4") == [
        ("two", "b", "passed"),
        ("two", "a", "failed"),
        ("one", "b", "passed"),
        ("one", "a", "failed"),
    ]


def test_submissions_of_one_name_are_told_apart_by_their_paths(graded: Lines) -> None:
    write(Path(), {"x/work/answer": "right\n", "y/work/answer": "", "other/answer": "right\n"})
    assert graded("-c", "one", "-s", "x/work", "-s", "y/work", "-s", "other") == [
        ("one", "x/work", "passed"),
        ("one", "y/work", "failed"),
        ("one", "other", "passed"),
    ]
    (directory,) = Path("runs").glob("[!.]*")
    assert sorted(path.name for path in (unpacked(directory) / "one").iterdir()) == ["other", "x%2Fwork", "y%2Fwork"]


@pytest.mark.parametrize("beside", [[], ["-s", "x/work", "-s", "y/work"], ["-s", "x/stdin"]])
def test_standard_input_is_read_once_for_all_cases_and_whatever_the_others_are_called(
    graded: Lines, monkeypatch: pytest.MonkeyPatch, beside: list[str]
) -> None:
    write(Path(), {"x/work/answer": "right\n", "y/work/answer": "right\n", "x/stdin/answer": "right\n"})
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(DIFF)))
    found = graded("-c", "one", "-c", "two", "-s", "-", *beside)
    assert len(found) == 2 * (1 + len(beside) // 2)
    assert {verdict for _, _, verdict in found} == {"passed"}
    assert len(set(found)) == len(found)
    assert {("one", "stdin", "passed"), ("two", "stdin", "passed")} <= set(found)


def test_the_reference_is_graded_under_that_name(graded: Lines) -> None:
    write(Path("one"), {"reference/answer": "right\n"})
    assert graded("-c", "one", "--reference") == [("one", "reference", "passed")]
    assert graded("-c", "one", "-c", "two", "--reference") == []


def test_a_case_that_is_named_twice_is_graded_once(graded: Lines) -> None:
    assert len(graded("-c", "one", "-c", "one")) == 1


def test_each_target_has_a_verdict_of_its_own(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    write(Path(), {"one/case.yaml": f"image: image\n{CHECK}execution: {{targets: [first, second]}}\n"})
    run(["-c", "one", "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["target"] for line in lines] == ["first", "second"]


def test_the_run_directory_says_what_was_asked(graded: Lines) -> None:
    write(Path(), {"work/answer": ""})
    graded("-c", "one", "-s", "work", "--runs", "kept")
    (directory,) = Path("kept").iterdir()
    record = json.loads((directory / "run.json").read_text())
    assert record["id"] == directory.name
    # Absolute, so that the run can be continued from anywhere.
    asked = record["asked"]
    assert (asked["cases"], asked["submissions"]) == ([str(Path("one").absolute())], [str(Path("work").absolute())])


def test_a_runtime_that_the_engine_lacks_is_refused_before_anything_is_run(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    info = replace(engine.info(), runtimes=("runc",))
    monkeypatch.setattr(FakeEngine, "info", lambda _: info)
    assert run(["-c", "one", "--runtime", "runsc"]) == ExitCode.USAGE
    assert "no runtime runsc" in capsys.readouterr().err
    assert engine.created == []
    assert run(["-c", "one", "--runtime", "runc", "-q"]) == ExitCode.FAILED
    assert engine.created[0].runtime == "runc"
    assert isinstance(info, EngineInfo)


CLASS = """
image: image
language: python
answer_file: words.py
protect: [README.md]
assertions: [{name: it, type: code-grader, command: ["check"]}]
"""


@pytest.fixture
def hand_ins(engine: FakeEngine) -> list[str]:
    """Write a case and a folder of hand-ins; return the options that submit each of them."""
    engine.script = lambda run: PASS if run.files.get("words.py", b"").endswith(b"right\n") else FAIL
    write(Path(), {"class/case.yaml": CLASS, "class/workspace/words.py": "stub\n", "class/workspace/README.md": ""})
    write_hand_ins(Path("handins"), b"right\n")
    return [word for path in sorted(Path("handins").iterdir()) for word in ("-s", str(path))]


Verdicts = dict[str, tuple[str, str]]


def verdicts(capsys: pytest.CaptureFixture[str]) -> Verdicts:
    return listed(capsys.readouterr().out)


def listed(printed: str) -> Verdicts:
    lines = [json.loads(line) for line in printed.splitlines()]
    return {line["submission"]: (line["verdict"], (line["reasons"] or [""])[0]) for line in lines}


def as_expected(found: Verdicts) -> bool:
    for name, (verdict, reason) in found.items():
        shape = name.removesuffix(" 2")
        if shape in RIGHT:
            assert verdict == "passed", (name, reason)
        else:
            assert verdict == "failed", name
            assert re.search(NOT[shape][1], reason), (name, reason)
            assert "\n" not in reason
    return True


def test_each_hand_in_of_a_class_passes_or_is_told_what_to_do(
    hand_ins: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["-c", "class", *hand_ins, "--json", "-q", "-j", "4"]) == ExitCode.FAILED
    found = verdicts(capsys)
    assert len(found) == 60
    assert as_expected(found)
    # Whatever of it is not right is one line for people, too, and in every report.
    (directory,) = Path("runs").glob("[!.]*")
    for form in ("text", "markdown", "html", "csv", "junit"):
        run(["report", str(directory), "--format", form])
        out = html.unescape(capsys.readouterr().out).replace("\\", "")
        assert "x0a" not in out
        assert "submit a/b, where words.py lies" in out, form
        assert "unreadable: The archive is broken" in out, form


HIDDEN = """
  - {name: MARK01ABCD, type: file-contains, path: words.py, value: MARK02ABCD, visibility: hidden, weight: 0}
  - {name: seen, type: code-grader, command: ["look", "MARK03ABCD"], weight: 0}
"""
COURSE = """
deadline: 2000-01-01
time_zone: UTC
late: {99999d: 0.5}
points: 20
"""


def test_a_class_is_graded_by_one_command_with_a_page_for_each_and_a_gradebook(
    hand_ins: list[str], engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    by_look = engine.script
    engine.script = lambda run: replace(by_look(run), stdout=repr(run).encode(), stderr=repr(run).encode())
    case = CLASS.replace("assertions: [", "assertions:\n  - ").replace("}]", ", points: 10}").strip()
    write(Path(), {"class/case.yaml": case + HIDDEN, "course.yaml": COURSE})
    Path("handins").rename("folder")
    Path("handins").mkdir()
    Path("folder").rename("handins/class of 2026")
    Path("roster.csv").write_text("name\nwindows\nzoe\n")
    words = ["--report", "gradebook=grades.csv", "--report", "candidate=pages", "--course", "course.yaml"]
    words += ["--roster", "roster.csv"]
    assert run(["-c", "class", "--submissions", "handins", *words, "--json", "-q", "-j", "4"]) == ExitCode.FAILED
    printed = capsys.readouterr()
    assert "No submission of zoe.\nNot in roster.csv: " in printed.err
    found = listed(printed.out)
    assert len(found) == 60
    assert as_expected(found)
    pages = list(Path("pages").iterdir())
    assert len(pages) == 120
    assert [path.name for path in pages if "MARK" in path.read_text()] == []
    assert "5 of 10 points" not in (page := Path("pages/windows.html").read_text())
    assert "10 of 20 points" in page
    rows = list(csv.DictReader(Path("grades.csv").read_text().splitlines()))
    assert len(rows) == 61
    by_name = {row["student"]: row for row in rows}
    assert (by_name["zoe"]["verdict"], by_name["zoe"]["total"]) == ("no submission", "0.0")
    assert (by_name["windows"]["it"], by_name["windows"]["points"]) == ("10.0", "10.0")
    assert (by_name["windows"]["total"], by_name["windows"]["of"]) == ("10.0", "20.0")
    assert by_name["broken"]["total"] == "0.0"


@pytest.mark.parametrize("others", [0, 70])
def test_what_is_unreadable_does_not_keep_from_grading_the_others_at_any_number(
    hand_ins: list[str], capsys: pytest.CaptureFixture[str], others: int
) -> None:
    more = [f"more/{number}/loose" for number in range(others)]
    write(Path(), {f"{path}/words.py": "right\n" for path in more})
    only = [word for path in ("handins/broken.zip", *more) for word in ("-s", path)]
    assert run(["-c", "class", *only, "--json", "-q"]) == ExitCode.FAILED
    found = verdicts(capsys)
    assert found.pop("broken")[1].startswith("unreadable: The archive is broken")
    assert [verdict for verdict, _ in found.values()] == ["passed"] * others
    assert run(["-c", "class", *only, "--json", "-q", "--unreadable", "error"]) == ExitCode.NOT_GRADED
    assert verdicts(capsys)["broken"][0] == "error"


def test_a_verdict_without_a_run_is_resumed_reused_scored_again_and_merged(
    hand_ins: list[str], engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["-c", "class", *hand_ins, "-q", "--json"]) == ExitCode.FAILED
    whole = verdicts(capsys)
    (directory,) = Path("runs").glob("[!.]*")
    created = len(engine.created)
    assert run(["--resume", str(directory), "-q", "--json"]) == ExitCode.FAILED
    assert run(["-c", "class", *hand_ins, "-q", "--json", "--reuse"]) == ExitCode.FAILED
    assert verdicts(capsys) == whole
    assert len(engine.created) == created
    assert run(["regrade", str(directory), "-q", "--json", "--runs", "again"]) == ExitCode.FAILED
    assert verdicts(capsys) == whole
    for part in ("1/2", "2/2"):
        run(["-c", "class", *hand_ins, "-q", "--shard", part, "--runs", "parts"])
    assert run(["merge", *map(str, Path("parts").glob("[!.]*")), "-o", "merged", "-q"]) == ExitCode.FAILED
    lines = [json.loads(line) for line in Path("merged/results.jsonl").read_text().splitlines()]
    assert {line["submission"]: (line["verdict"], (line["reasons"] or [""])[0]) for line in lines} == whole


def test_an_error_of_what_is_unreadable_is_kept_as_it_was_asked_for(
    hand_ins: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    only = ["-s", "handins/broken.zip"]
    assert run(["-c", "class", *only, "-q", "--unreadable", "error"]) == ExitCode.NOT_GRADED
    (directory,) = Path("runs").glob("[!.]*")
    assert run(["--resume", str(directory), "-q"]) == ExitCode.NOT_GRADED
    assert run(["regrade", str(directory), "-q", "--runs", "again"]) == ExitCode.NOT_GRADED
    assert run(["--resume", str(directory), "--unreadable", "error"]) == ExitCode.USAGE
    assert "--unreadable cannot be given with --resume" in capsys.readouterr().err
    # It is not the verdict of an untouched workspace, which has no files, too.
    assert run(["-c", "class", "-q", "--reuse"]) == ExitCode.FAILED
    assert run(["-c", "class", *only, "-q", "--reuse", "--unreadable", "error"]) == ExitCode.NOT_GRADED


def test_a_plan_shows_the_layout_that_is_graded(hand_ins: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    write(Path(), {"wide/words.py": "right\n"})
    printed = []
    for name in ("handins/zip-deep.zip", "wide", "handins/too-deep", "handins/broken.zip"):
        assert run(["plan", "class", "-s", name]) == ExitCode.PASSED
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out
    assert "note: The files in project were moved out of it." in printed[0].err
    assert "submit a/b, where words.py lies" in printed[2].err
    assert "unreadable: The archive is broken" in printed[3].err


def test_a_strict_layout_fails_what_does_not_fit_without_a_run(
    hand_ins: list[str], engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["-c", "class", "-s", "handins/too-deep", "--strict-layout", "-q", "--json"]) == ExitCode.FAILED
    assert not engine.created
    assert run(["-c", "class", "-s", "handins/deep", "--strict-layout", "-q", "--json"]) == ExitCode.PASSED
    assert as_expected(verdicts(capsys))


def test_a_folder_of_hand_ins_is_no_submission(
    hand_ins: list[str], engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    write(Path(), {"handins/words.py": "right\n"})
    assert run(["-c", "class", "-s", "handins"]) == ExitCode.USAGE
    assert "Did you mean -s handins/*?" in capsys.readouterr().err
    assert not engine.created

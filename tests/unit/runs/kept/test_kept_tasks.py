"""The submissions of a run graded again: as if the originals were graded anew, wherever these are by then."""

from __future__ import annotations

import json
import shutil
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEnd
from mixed_submissions import CASE, WORKSPACE, judge, mixed_submissions
from world import CHECK, World, lines, the_run, verdicts

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.runs.evidence_log import LOG, works_in
from gradebox.graders.runs.saved_run import read_run


def newest(root: str) -> Path:
    return max(Path(root).glob("[!.]*"))


def compared(directory: Path) -> list[Any]:
    """Return the verdicts of a run without ids and times, in the order of the run."""

    def kept(value: Any) -> Any:
        if isinstance(value, list):
            return [kept(one) for one in value]
        if not isinstance(value, dict):
            return value
        left_out = {"id", "run", "started"}
        return {key: kept(one) for key, one in value.items() if key not in left_out and not key.endswith("seconds")}

    return sorted((kept(line) for line in lines(directory)), key=lambda line: line["number"])


@pytest.mark.parametrize("count", [40, pytest.param(300, marks=pytest.mark.thorough)])
def test_submissions_of_every_form_are_graded_as_if_anew(world: World, count: int) -> None:
    world.act = judge
    for path, text in WORKSPACE.items():
        world.write(path, text)
    world.write("case/case.yaml", CASE.format("first"))
    given = [word for path in mixed_submissions(Path("hand-ins"), count) for word in ("-s", path)]
    run(["-c", "case", *given, "-q", "--runs", "old"])
    old = newest("old")
    world.write("case/case.yaml", CASE.format("second"))
    run(["-c", "case", *given, "-q", "--runs", "anew"])
    shutil.rmtree("hand-ins")
    # It ends at the first submission that fails, and then goes on.
    run(["regrade", str(old), "--execute", "--runs", "again", "-q", "--fail-fast"])
    again = newest("again")
    assert 0 < len(lines(again)) < count
    run(["--resume", str(again), "-q"])
    found, expected = compared(again), compared(newest("anew"))
    assert len(found) == count
    assert found == expected
    assert {line["verdict"] for line in found} == {"passed", "failed"}
    assert [line["verdict"] for line in found] != [line["verdict"] for line in compared(old)]
    assert len([*works_in(again / LOG)]) == len({line["submission_hash"] for line in found})


def test_answers_with_names_and_origins_keep_them(world: World) -> None:
    world.act = judge
    world.write("case/case.yaml", CASE.format("first"))
    answers = [
        {"case": "case", "answer": f"```python\nx = {number}\n```", "model": "m", "target": "base"}
        for number in range(3)
    ]
    world.write("answers.jsonl", "".join(f"{json.dumps(line)}\n" for line in answers))
    run(["-c", "case", "--answers", "answers.jsonl", "-q", "--runs", "old"])
    # Where code goes is decided by the case as it is now.
    world.write("case/case.yaml", CASE.format("first").replace("calc.py", "other.py"))
    run(["-c", "case", "--answers", "answers.jsonl", "-q", "--runs", "anew"])
    Path("answers.jsonl").unlink()
    run(["regrade", str(newest("old")), "--execute", "--runs", "again", "-q"])
    assert compared(newest("again")) == compared(newest("anew"))


def test_the_verdicts_say_from_which_run_they_are(world: World) -> None:
    run([*world.arguments, "-q"])
    first = the_run()
    run(["regrade", str(first), "--execute", "--runs", "again", "-q"])
    second = read_run(newest("again"))
    assert second.requested["work_of"] == str(first.absolute())
    assert {one.origin["run"] for one in second.verdicts.values()} == {first.name}


def test_only_some_verdicts_and_some_cases(world: World) -> None:
    run([*world.arguments, "-q"])
    first = the_run()
    world.graded = 0
    assert run(["regrade", str(first), "--execute", "--only", "failed,error", "-k", "[ab]", "--runs", "again", "-q"])
    assert [(case, name) for _, case, name, *_ in verdicts(newest("again"))] == [
        ("a", "two"), ("a", "four"), ("b", "two"), ("b", "four"),
    ]  # fmt: skip
    assert world.graded == 4


def test_cases_that_are_gone_are_named_and_the_others_are_graded(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    run([*world.arguments, "-q"])
    first = the_run()
    world.write("moved/case.yaml", f"id: a\n{CHECK}")
    capsys.readouterr()
    code = run(["regrade", str(first), "--execute", "--case", "moved", "--runs", "again"])
    assert code == ExitCode.NOT_GRADED
    assert "8 of 12 verdicts are of no case that is named: b, c" in capsys.readouterr().err
    assert [case for _, case, *_ in verdicts(newest("again"))] == ["a"] * 4


def test_repeats_and_shards_are_graded_as_they_were(world: World) -> None:
    run([*world.arguments, "-q", "--repeat", "2"])
    first = the_run()
    shutil.rmtree("work")
    for shard in ("1/2", "2/2"):
        run(["regrade", str(first), "--execute", "--shard", shard, "--runs", "again", "-q"])
    run(["merge", *map(str, Path("again").glob("[!.]*")), "-o", "whole", "-q"])
    assert compared(Path("whole")) == compared(first)
    assert sorted(works_in(Path("whole", LOG))) == sorted(works_in(first / LOG))
    # What was merged, or scored again, can be graded again in turn.
    run(["regrade", "whole", "--runs", "scored", "-q"])
    run(["regrade", str(newest("scored")), "--execute", "--runs", "last", "-q"])
    assert verdicts(newest("last")) == verdicts(first)
    shutil.rmtree("runs")
    assert run(["regrade", str(newest("last")), "--runs", "scored", "-q"]) == ExitCode.FAILED


def test_what_targets_made_is_graded_again_without_asking_them(world: World) -> None:
    world.act = judge
    world.write("a/case.yaml", CASE.format("first") + "execution: {targets: [one, two]}\n")
    targets = "targets: [{{name: one, provider: mock, output: '{}'}}, {{name: two, provider: mock, output: b}}]\n"
    world.write("targets.yaml", targets.format("a"))
    run(["-c", "a", "--targets", "targets.yaml", "-q", "--runs", "old"])
    world.write("targets.yaml", targets.format("another"))
    run(["regrade", str(newest("old")), "--execute", "--runs", "again", "-q"])
    assert [line["target"] for line in lines(newest("again"))] == ["one", "two"]
    assert compared(newest("again")) == compared(newest("old"))


def test_what_came_from_standard_input_is_graded_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    diff = b"--- /dev/null\n+++ b/answer\n@@ -0,0 +1 @@\n+right\n\\ No newline at end of file\n"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=BytesIO(diff)))
    run(["-c", "a", "-s", "-", "-q"])
    first = the_run()
    assert run(["regrade", str(first), "--execute", "--runs", "again", "-q"]) == ExitCode.PASSED
    assert compared(newest("again")) == compared(first)


def test_cases_that_depend_on_others_follow_them_again(world: World) -> None:
    world.write("b/case.yaml", f"depends_on: [a]\non_dependency_failure: skip\n{CHECK}")
    run(["-c", "a", "-c", "b", "-s", "work/one", "-s", "work/two", "-q"])
    first = the_run()
    world.act = lambda _: FakeEnd()
    run(["regrade", str(first), "--execute", "--runs", "again", "-q"])
    assert [verdict for *_, verdict, _ in verdicts(first)].count("not_judged") == 1
    assert {verdict for *_, verdict, _ in verdicts(newest("again"))} == {"passed"}


def test_options_of_an_execution_need_it(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    for option in (("--only", "failed"), ("-k", "a"), ("--jobs", "2"), ("--shard", "1/2"), ("--case", "a")):
        assert run(["regrade", str(the_run()), *option]) == ExitCode.USAGE
        assert f"{option[0]} needs --execute." in capsys.readouterr().err
    for refused in (("--judgments", "a/case.yaml"), ("--only", "fail")):
        assert run(["regrade", str(the_run()), "--execute", *refused]) == ExitCode.USAGE


def test_what_could_not_be_graded_is_graded_when_it_can_be(world: World) -> None:
    world.write("a/case.yaml", CHECK.replace("image: image", "image: absent"))
    assert run(["-c", "a", "-s", "work/one", "-q"]) == ExitCode.NOT_GRADED
    first = the_run()
    shutil.rmtree("work")
    world.write("a/case.yaml", CHECK)
    assert run(["regrade", str(first), "--execute", "--only", "error", "--runs", "again", "-q"]) == ExitCode.PASSED


def test_a_run_of_nothing_is_refused(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "-q"])
    assert run(["regrade", str(the_run()), "--execute", "--only", "error", "--runs", "again"]) == ExitCode.USAGE
    assert "There is nothing to grade." in capsys.readouterr().err
    assert not Path("again").exists()

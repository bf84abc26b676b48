"""Submissions in a run directory: each once, up to a size, and why one is not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fabricated import check
from fabricated import graded as result
from world import World, lines, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.errors import UsageRefused
from gradebox.graders.model.submission import Submission
from gradebox.graders.runs.evidence_log import LOG, works_in
from gradebox.graders.runs.kept.keeper import Keeper, size_of
from gradebox.graders.runs.saved_evidence import why_not_kept
from gradebox.graders.runs.saved_run import read_run
from gradebox.sandbox.limits import MIB


@pytest.mark.parametrize(
    ("text", "size"),
    [("none", 0), ("0", 0), ("512", 512), ("2k", 2048), ("64MiB", 64 * MIB), ("1 m", MIB), ("1.5m", 3 * MIB // 2)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert size_of(text) == size


@pytest.mark.parametrize("text", ["", "many", "-1", "1t", "1g"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageRefused, match="--keep-submissions takes"):
        size_of(text)


def test_a_submission_is_kept_once_whatever_is_graded_with_it(world: World) -> None:
    run([*world.arguments, "-q", "--repeat", "2"])
    # Of four submissions, two are the same.
    assert len(lines(the_run())) == 24
    assert sorted(works_in(the_run() / LOG)) == sorted({line["submission_hash"] for line in lines(the_run())})
    assert len({*works_in(the_run() / LOG)}) == 2


def test_names_and_origins_are_in_verdicts_alone() -> None:
    keeper = Keeper(MIB, lambda _: False)
    graded = result("a", check("c", 1.0))
    one, other = (Submission(name, origin={"model": name}, target=name) for name in "ab")
    assert keeper.work_of(graded, one) == keeper.work_of(graded, other)


def test_a_continued_run_keeps_none_again(world: World) -> None:
    run([*world.arguments, "-q", "--fail-fast", "-j", "1"])
    before = [*works_in(the_run() / LOG)]
    run(["--resume", str(the_run()), "-q"])
    assert [*works_in(the_run() / LOG)] == before


def test_what_is_too_large_is_not_kept_and_the_run_says_so(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.write("work/one/large", "x" * 3000)
    run(["-c", "a", "-s", "work/one", "-s", "work/two", "--keep-submissions", "2k"])
    assert "1 of 2 submissions not kept: `grade show` says why" in capsys.readouterr().err
    saved = read_run(the_run())
    assert [why_not_kept(saved, verdict) for verdict in saved.verdicts.values()] == [
        "it has 3005 bytes, and the run kept submissions of up to 2048 (`--keep-submissions`)",
        "",
    ]
    run(["show", str(the_run()), "a", "--submission", "one"])
    assert "submission: not kept: it has 3005 bytes" in capsys.readouterr().out


def test_a_run_keeps_nothing_if_asked_to(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    run(["-c", "a", "-s", "work/one", "--keep-submissions", "none"])
    assert "not kept" not in capsys.readouterr().err
    assert [*works_in(the_run() / LOG)] == []
    # A continued run does as it did.
    assert json.loads((the_run() / "run.json").read_text())["asked"]["keep_submissions"] == 0
    world.write("a/case.yaml", Path("a/case.yaml").read_text() + "tags: [new]\n")
    run(["--resume", str(the_run()), "-q"])
    assert [*works_in(the_run() / LOG)] == []


def test_what_cannot_be_read_any_more_is_not_kept(world: World) -> None:
    def act(ran: object) -> object:
        Path("work/one/answer").write_text("longer than before")
        return world.by_answer(ran)  # type: ignore[arg-type]

    world.act = act  # type: ignore[assignment]
    run(["-c", "a", "-s", "work/one", "-q"])
    saved = read_run(the_run())
    (verdict,) = saved.verdicts.values()
    assert why_not_kept(saved, verdict).startswith("it could not be read after it was graded: ")

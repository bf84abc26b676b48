"""A verdict for people: what it looks like, and that no candidate can act on the terminal.

Run ``python tests/unit/reports/test_text_report.py`` to write the golden files.
 Read the changes before you commit them.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fabricated import hostile, many, write
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from gradebox.graders.model.result import Result
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, Verdict, decide
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.text_report import print_saved, print_verdict, report, summary
from gradebox.graders.runs.saved_run import owner_of
from gradebox.graders.runs.statistics import Totals
from gradebox.sandbox.types import Capture, Ending, Outcome

GOLDEN = Path(__file__).parents[2] / "golden"
STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)
# Control characters (C0, C1), bidirectional and other formatting characters, separators, surrogates.
HARMFUL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
MARKUP = "[bold red]x[/] [/nothing] [link=http://evil]y[/link] \\[dim] :skull:"
TEXTS = st.text(st.characters(), max_size=30) | st.text(st.characters(categories=sorted(HARMFUL)), max_size=10)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(graded: Result, *, terminal: bool = False, width: int = 100) -> str:
    stream = Terminal() if terminal else io.StringIO()
    console = Console(
        file=stream, width=width, force_terminal=terminal, color_system=None, highlight=False, _environ={}
    )
    print_verdict(console, graded)
    return stream.getvalue()


def step(name: str, reason: str = "", stdout: bytes = b"", stderr: bytes = b"", *, role: str = "check") -> StepRecord:
    outcome = Outcome(
        Ending.EXITED,
        1 if reason else 0,
        stdout=Capture(stdout, total_bytes=len(stdout)),
        stderr=Capture(stderr, total_bytes=len(stderr)),
    )
    return StepRecord(role, name, ("true",), outcome, passed=not reason, reason=reason)


def check(name: str, score: float | None, reason: str = "", *steps: StepRecord, **changes: Any) -> CheckResult:
    status = Status.ERROR if score is None else Status.PASSED if score >= 0.8 else Status.FAILED
    return CheckResult(**{"name": name, "type": "x", "status": status, "score": score, "wanted": 0.8} | changes,
                       reason=reason, steps=steps)  # fmt: skip


def graded(*checks: CheckResult, faults: tuple[str, ...] = (), **changes: Any) -> Result:
    verdict = decide(checks, threshold=0.8, faults=faults)
    return replace(Result("0123", "add-auth", "work", verdict, STARTED, wall_seconds=12.34), **changes)


def test_an_item_that_failed_shows_its_source_unless_its_output_does() -> None:
    item = replace(step("#1", "exit status 1", b"", b"no\n", role="item"), argv=("node", "-e", "f(1)\nassert(x)"))
    quoted = replace(step("#2", "exit status 1", b"", b"Traceback\n    assert(x)\n", role="item"), argv=item.argv)
    text = printed(graded(check("examples", 0.0, "0 of 2 passed", item, quoted)))
    assert text.count("> f(1)\n") == text.count("> assert(x)\n") == 1
    assert text.index("> assert(x)") < text.index("| no")


LONG = b"".join(b"line %d\n" % number for number in range(20))
ESCAPES = b"\x1b[31mPASSED\x1b[0m\r\n\xff\xfe\n" + MARKUP.encode()
BENT = Tampering(
    TamperingKind.CONTROL_PASSED, "its control grading/control.sh passed, which must fail", "exit status 0"
)

EXAMPLES = {
    "passed": graded(
        check("login", 1.0, weight=3.0, required=True), check("examples", 0.75, "3 of 4 passed", status=Status.PASSED)
    ),
    "failed": graded(
        check(
            "login", 0.0, "exit status 1", step("login", "exit status 1", LONG, b"E   assert 1 == 2\n"), required=True
        ),
        check("no-secrets", 0.0, "exit status 0", negate=True),
        check(
            "unit-tests",
            0.1,
            "1 of 7 passed",
            *(step(f"#{n}", "exit status 1", b"Oh.\n") for n in range(7)),
            weight=2.0,
        ),
        check("tampered", 0.0, "exit status 0", tampering=(BENT,)),
        submission="half done",
        target="claude",
        restored=("tests/test_auth.py",),
        removed=tuple(f"conftest-{n}.py" for n in range(9)),
        removed_count=1200,
        left_out=("pipe",),
    ),
    "error": graded(
        check("login", None, "the program 'pytset' was not found", step("login", "the program 'pytset' was not found")),
        check("style", 1.0),
        check("in-words", None, "no judge is configured", status=Status.NOT_JUDGED),
    ),
    "not-graded": graded(
        check("login", None, "not run: setup make failed: exit status 2"),
        faults=("setup make failed: exit status 2",),
        own_steps=(step("setup 1", "exit status 2", b"", b"make: *** No rule to make target 'all'.\n", role="setup"),),
    ),
    "hostile": graded(
        check(MARKUP, 0.0, "\x1b[2J\x1b]0;owned\x07", step(MARKUP, MARKUP, ESCAPES, "\u202eDESSAP \x9b1m".encode())),
        submission="\u202e" + MARKUP,
        target="caf\udce9",
        restored=("a\nb", MARKUP),
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_golden(name: str) -> None:
    assert printed(EXAMPLES[name]) == (GOLDEN / f"report-{name}.txt").read_text("utf-8")


def test_every_golden_file_is_of_an_example() -> None:
    assert {path.stem for path in GOLDEN.glob("report-*.txt")} == {f"report-{name}" for name in EXAMPLES}


@given(TEXTS, TEXTS, st.binary(max_size=60), TEXTS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_character_acts_on_the_terminal_whoever_wrote_it(
    name: str, reason: str, stdout: bytes, stderr: bytes
) -> None:
    wrong = step(name, reason or "why", stdout, stderr)
    found = printed(
        graded(
            check(name, 0.0, reason, wrong, wrong, tampering=(Tampering(TamperingKind.TOKEN_MISSING, reason, name),)),
            faults=(reason,),
            submission=name,
            target=reason or None,
            restored=(name,),
            removed=(reason,),
            removed_count=1,
            left_out=(name,),
            own_steps=(wrong,),
        )
    )
    harmful = {char for char in found if unicodedata.category(char) in HARMFUL}
    assert harmful <= {"\n"}


def test_markup_in_names_is_not_interpreted() -> None:
    found = printed(EXAMPLES["hostile"], terminal=True, width=200)
    assert MARKUP in found.splitlines()[0]
    assert f"    | {MARKUP}" in found
    assert "\x1b" not in found.replace("\x1b[0m", "")


def test_a_flood_is_cut_and_its_end_is_shown() -> None:
    lines = b"".join(b"%d\n" % number for number in range(100_000))
    reason = "because " * 50_000
    found = printed(graded(check("login", 0.0, reason, step("login", reason, lines, b"x" * 300_000))))
    assert len(found) < 10_000
    assert "[... 99989 lines omitted, all in the run directory ...]" in found
    assert "| 99999\n" in found


def test_what_passed_is_not_shown_again_below_the_table() -> None:
    found = printed(graded(check("login", 1.0, "", step("login", "", b"fine, thank you"))))
    assert "fine, thank you" not in found


WITHHELD = Result("0", "b", "work", Verdict(Status.NOT_JUDGED, None, None, None, 0.8, ()), STARTED)


@pytest.mark.parametrize(
    ("results", "shown"),
    [
        ([], "0 passed  in 2.0 s"),
        (["passed"], "1 passed  in 2.0 s"),
        (["failed", "error", "passed", "failed"], "1 passed  2 failed  1 error  in 2.0 s"),
        (["error"], "0 passed  1 error  in 2.0 s"),
        (["passed", "withheld"], "1 passed  1 not judged  in 2.0 s"),
    ],
)
def test_summary(results: list[str], shown: str) -> None:
    assert summary(Totals.of(EXAMPLES.get(name, WITHHELD) for name in results), "in 2.0 s").plain == shown


def test_repeats_are_numbered() -> None:
    assert printed(EXAMPLES["passed"]).startswith("PASSED  add-auth  work   score")
    assert printed(replace(EXAMPLES["passed"], repeat=2)).startswith("PASSED  add-auth  work  repeat 2   score")


def test_why_a_case_was_withheld_is_printed_once() -> None:
    reason = "not run: it depends on a, which did not pass"
    withheld = check("login", None, reason, status=Status.NOT_JUDGED)
    verdict = replace(WITHHELD.verdict, checks=(withheld,), reasons=(reason,))
    lines = printed(replace(WITHHELD, verdict=verdict)).splitlines()
    assert lines[0].startswith("NOT JUDGED  b  work")
    assert lines[3:] == ["  login       -        1              not judged   not run", f"  because: {reason}"]


def test_colours_that_are_forced_upon_a_pipe_fold_nothing_and_leave_no_blanks() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=40, force_terminal=True, highlight=False, _environ={"TERM": "xterm"})
    print_verdict(console, EXAMPLES["failed"])
    plain = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert plain != stream.getvalue()
    assert plain == printed(EXAMPLES["failed"], width=40)
    assert not re.search(r" +$", plain, re.MULTILINE)


@pytest.mark.parametrize("width", [20, 39, 47, 48, 71, 72, 100])
@pytest.mark.parametrize("name", ["failed", "error", "hostile"])
def test_every_check_is_printed_whatever_the_width_of_the_terminal(name: str, width: int) -> None:
    found = printed(EXAMPLES[name], terminal=True, width=width)
    assert max(map(cell_len, found.splitlines())) <= width
    for one in EXAMPLES[name].verdict.checks:
        assert visible(one.name)[:3] in found


def test_a_table_gives_way_to_lines_where_it_has_no_room() -> None:
    assert "\n  login  failed  0.0000  exit status 1\n" in printed(EXAMPLES["failed"], terminal=True, width=47)
    assert "\u2500" not in printed(EXAMPLES["failed"], terminal=True, width=47)
    assert "\u2500" in printed(EXAMPLES["failed"], terminal=True, width=48)


def test_a_report_has_every_verdict_and_counts_at_the_end(tmp_path: Path) -> None:
    run = write(tmp_path, many(30))
    lines = "".join(report(run)).splitlines()
    assert sum(line.startswith(("PASSED", "FAILED", "ERROR")) for line in lines) == 30
    counts = Counter(verdict.verdict for verdict in run.verdicts.values())
    assert lines[-1].startswith(f"{counts['passed']} passed  {counts['failed']} failed")
    assert lines[-1].endswith("s of grading")


def test_a_saved_verdict_is_printed_with_all_its_output(tmp_path: Path) -> None:
    run = write(tmp_path, [hostile()])
    (verdict,) = run.verdicts.values()
    stream = io.StringIO()
    print_saved(Console(file=stream, width=100, color_system=None, _environ={}), run, verdict)
    found = stream.getvalue()
    assert "  exit status 1 after 0.30 s\n  stdout, 5242880 bytes:\n  | </pre>" in found
    assert "bytes omitted ...]" in found
    assert found.splitlines()[-1] == f"evidence: {run.evidence.place(owner_of(verdict))}"
    assert {unicodedata.category(char) for char in found} & HARMFUL <= {"Cc"}


if __name__ == "__main__":
    for each, example in EXAMPLES.items():
        (GOLDEN / f"report-{each}.txt").write_text(printed(example), "utf-8")


def test_the_verdict_of_several_tries_is_a_line(tmp_path: Path) -> None:
    first = replace(next(many(1)), trials="pass_all")
    text = "".join(report(write(tmp_path, [first, replace(first, repeat=2)])))
    assert f"\n{first.case} {first.target}: passed by pass_all: 2 of 2 tries passed, score 1\n" in text


def test_what_sandboxes_may_not_have_enforced_is_a_line_for_the_run(tmp_path: Path) -> None:
    one, two = (graded(check("t", 1.0), case=name, not_enforced=("It shares a kernel.",)) for name in "ab")
    two = replace(two, not_enforced=(*two.not_enforced, "Swap is not limited."))
    text = "".join(report(write(tmp_path, [one, two])))
    assert text.count("\nnot enforced: It shares a kernel.\n") == 1
    assert "\nnot enforced in 1 of 2 verdicts: Swap is not limited.\n" in text

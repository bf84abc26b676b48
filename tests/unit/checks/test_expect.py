"""What a command must exit with and print."""

from __future__ import annotations

import pytest
from evidence_bench import COMMAND, done, judge, make

from gradebox.graders.checks.code_grader import CodeGrader
from gradebox.graders.checks.expect import Expect, unmet
from gradebox.graders.model.evidence import Evidence
from gradebox.sandbox.types import Capture, Ending, Outcome


def printed(stdout: bytes = b"", stderr: bytes = b"", exit_code: int = 0, total: int | None = None) -> Outcome:
    return Outcome(
        Ending.EXITED,
        exit_code,
        stdout=Capture(stdout, total_bytes=len(stdout) if total is None else total),
        stderr=Capture(stderr, total_bytes=len(stderr)),
    )


@pytest.mark.parametrize(
    ("expect", "outcome", "wrong"),
    [
        (Expect(), printed(), ""),
        (Expect(), printed(exit_code=2), "exit status 2"),
        (Expect(exit_code=3), printed(exit_code=3), ""),
        (Expect(exit_code=3), printed(), "exit status 0, 3 was expected"),
        (Expect(stdout="a\n"), printed(b"a\n"), ""),
        (Expect(stdout="a\n"), printed(b"a"), "stdout is not what was expected"),
        (Expect(stdout=""), printed(b"a"), "stdout is not what was expected"),
        (Expect(stdout=""), printed(b""), ""),
        (Expect(stdout="a"), printed(b"a", total=9), "stdout is not what was expected"),
        (Expect(stderr="a"), printed(b"a", b"b"), "stderr is not what was expected"),
        (Expect(stderr="b"), printed(b"a", b"b"), ""),
        (Expect(stdout_regex=r"^\d+ passed$"), printed(b"12 passed"), ""),
        (Expect(stdout_regex="passed"), printed(b"\xff passed"), ""),
        (Expect(stdout_regex="passed"), printed(b"failed"), "stdout does not match what was expected"),
        (Expect(exit_code=1, stdout="a"), printed(b"a"), "exit status 0, 1 was expected"),
    ],
)
def test_expect_narrows_what_passes(expect: Expect, outcome: Outcome, wrong: str) -> None:
    assert unmet(expect, outcome) == wrong
    found = judge(make(CodeGrader, expect=expect, command=COMMAND), Evidence(done=(done(outcome),)))
    assert (found.score, found.reason) == (0.0 if wrong else 1.0, wrong)


def test_a_reason_says_where_the_submissions_words_went() -> None:
    hint = "; what `candidate` prints without a redirection goes to stderr, since this text decides"
    assert unmet(Expect(stdout="a"), printed(b"b"), own_stdout=True) == f"stdout is not what was expected{hint}"
    assert unmet(Expect(stdout_regex="a"), printed(b"b"), own_stdout=True).endswith(hint)
    assert unmet(Expect(stderr="a"), printed(b"b"), own_stdout=True) == "stderr is not what was expected"

"""The runner of bats' tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

GOOD = "sum() { echo $(($1 + $2)); }\n"
WRONG = "sum() { echo $(($1 - $2)); }\n"
TESTS = """
setup() {
    source ./sum.sh
}

@test "adds" {
    [ "$(sum 1 2)" = 3 ]
}

@test "adds more" {
    run sum 2 2
    [ "$output" = 4 ]
}

@test "later" {
    skip "later"
}
"""
# Ways to pass without the work, and what is said of each.
FORGERIES = {
    "exits when loaded": "exit 0",
    "exits in a test": "sum() { exit 0; }; [() { exit 0; }",
    "ends without a word": f"{WRONG}trap - EXIT; exec true",
    "prints what a test runner prints": "printf 'ok 1 adds\\nok 2 adds more\\n'; exit 0",
    "looks for the token, and reports": (
        "for to in /proc/self/fd/*; do echo \"$(set | grep -oE '[0-9a-f]{32}') done 2 0\" > $to; done; exit 0"
    ),
    "kills its parent": "kill -9 $PPID",
    "writes lines of more tests": f"{WRONG}echo 'ok 7 more' >&3",
    "writes the line of a test": f'{WRONG}echo "ok $BATS_SUITE_TEST_NUMBER adds" >&3',
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("bats")


def run(yard: Yard, work: str, *words: str) -> Ran:
    return yard.run("bats", *words, "grading", work={"sum.sh": work}, judge={"grading/sum.bats": TESTS})


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    ran = run(yard, GOOD, "--filter", "more", "--timing")
    assert (ran.passed, ran.report.done) == (True, (1, 0)), ran.printed


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (2, 2), ())
    broken = run(yard, "sum() {")
    assert (broken.passed, broken.judged.tampering) == (False, ())


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    ran = run(yard, FORGERIES[way])
    assert not ran.passed, ran.printed
    assert ran.outcome.exit_code != 0
    seen = {one.kind.value for one in ran.judged.tampering}
    assert seen == ({"control-passed"} if way.startswith("writes") else set()), ran.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    ran = run(yard, GOOD, "--filter", "nothing")
    assert not ran.passed, ran.printed


def test_an_image_without_it_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/opt/bats", "grading")
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/opt/bats")

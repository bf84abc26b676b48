"""The runner of testthat's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

GOOD = "add <- function(a, b) a + b\n"
WRONG = "add <- function(a, b) a - b\n"
TESTS = """
source("../add.R")

test_that("it adds", {
  expect_equal(add(1, 2), 3)
})

test_that("it wants numbers", {
  expect_error(add(1, "x"))
})
"""
LATER = f'{TESTS}\ntest_that("later", skip("later"))\n'
# Ways to pass without the work, and what is said of each. Honest programs call `quit`, too.
FORGERIES = {
    "exits when loaded": ("quit(status = 0)", ""),
    "exits in a test": ("add <- function(a, b) quit(status = 0)", ""),
    "is killed": ("add <- function(a, b) tools::pskill(Sys.getpid(), 9)", ""),
    "looks for the token, and reports": (
        """seen <- character()
for (number in seq_len(sys.nframe())) {
  for (name in ls(sys.frame(number), all.names = TRUE)) {
    seen <- c(seen, tryCatch(paste(deparse(get(name, sys.frame(number))), collapse = ""), error = function(e) ""))
  }
  seen <- c(seen, paste(deparse(sys.call(number)), deparse(sys.function(number)), collapse = ""))
}
seen <- c(seen, commandArgs(), unlist(mget(ls(globalenv(), all.names = TRUE), envir = globalenv())))
found <- unlist(regmatches(seen, gregexpr("[0-9a-f]{32}", seen)))
for (to in 3:12) {
  try(cat(paste(c(found, "x"), "done 2 0"), sep = "\\n", file = paste0("/proc/self/fd/", to)), silent = TRUE)
}
quit(status = 0)""",
        "",
    ),
    "makes every expectation hold": (
        f"""{WRONG}
for (name in c("expect_equal", "expect_error")) {{
  utils::assignInNamespace(name, function(...) TRUE, "testthat")
  assign(name, function(...) testthat::succeed(), globalenv())
}}""",
        "control-passed",
    ),
    "makes expectations hold but for the controls": (
        f"""{WRONG}
old <- get("expect", asNamespace("testthat"))
utils::assignInNamespace("expect", function(ok, ...) {{
  tried <- any(vapply(sys.calls(), function(call) identical(call[[1]], as.name("do.call")), NA))
  if (tried) old(ok, ...) else invisible(TRUE)
}}, "testthat")""",
        "control-passed",
    ),
    "lays expectations over those of the tests": (
        f"""{WRONG}
for (number in seq_len(sys.nframe())) for (name in c("env", "envir")) {{
  place <- get0(name, sys.frame(number), inherits = FALSE)
  if (is.environment(place) && !identical(place, globalenv()) && exists("expect_equal", place, inherits = FALSE))
    for (one in c("expect_equal", "expect_error")) assign(one, function(...) testthat::succeed(), place)
}}""",
        "control-passed",
    ),
    "brings expectations of its own": (
        f"{WRONG}expect_equal <- expect_error <- function(...) testthat::expect_true(TRUE)",
        "",
    ),
    "brings a test of its own": (
        f"{WRONG}test_that <- function(desc, code) testthat::test_that(desc, testthat::expect_true(TRUE))",
        "",
    ),
    "skips the tests": ("add <- function(a, b) testthat::skip('no')", ""),
    "prints what a test runner prints": ("cat('[ FAIL 0 | WARN 0 | SKIP 0 | PASS 2 ]\\n'); quit(status = 0)", ""),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("r")


def run(yard: Yard, work: str, call: str = 'testthat::test_dir("grading")', tests: str = TESTS) -> Ran:
    files = {"grading/test-add.R": tests}
    return yard.run("Rscript", "--vanilla", "-e", call, work={"add.R": work}, judge=files, seconds=300.0)


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    ran = run(yard, GOOD, 'library(testthat); test_file("grading/test-add.R", reporter = TapReporter$new())', LATER)
    assert (ran.passed, ran.report.done) == (True, (2, 0)), ran.printed
    assert "ok 1 it adds" in ran.printed


def test_functions_of_the_submission_may_have_names_of_testthat(yard: Yard) -> None:
    work = "compare <- function(a, b) a > b\ndescribe <- function(a) paste('it is', a)\nfail <- function() FALSE\n"
    tests = """source("../add.R")
test_that("names are free", {
  expect_true(compare(2, 1))
  expect_equal(describe(1), "it is 1")
  expect_false(fail())
})
"""
    ran = run(yard, work, tests=tests)
    assert (ran.passed, ran.report.done) == (True, (1, 0)), ran.printed


def test_specifications_are_tested_by_the_functions_of_testthat(yard: Yard) -> None:
    tests = 'source("../add.R")\ndescribe("add", {\n  it("adds", {\n    expect_equal(add(1, 2), 3)\n  })\n})\n'
    assert run(yard, GOOD, tests=tests).passed
    forged = f"{WRONG}describe <- function(...) testthat::test_that('it', testthat::expect_true(TRUE))\n"
    assert not run(yard, forged, tests=tests).passed


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.outcome.exit_code, ran.report.done, ran.judged.tampering) == (False, 1, (2, 1), ())
    broken = run(yard, "add <- function(a,")
    assert (broken.passed, broken.judged.tampering) == (False, ()), broken.printed


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, source)
    assert not ran.passed, ran.printed
    assert {one.kind.value for one in ran.judged.tampering} == ({kind} if kind else set()), ran.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, tests="1 + 1\n").judged.reason == "no test was run"

"""The runner of JUnit's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

GOOD = "public class Sum { public static int of(int a, int b) { return a + b; } }\n"
WRONG = "public class Sum { public static int of(int a, int b) { return a - b; } }\n"
TESTS = """
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SumTest {
    @Test void one() { assertEquals(3, Sum.of(1, 2)); }
    @ParameterizedTest @ValueSource(ints = {1, 2}) void more(int a) { assertEquals(a + 2, Sum.of(a, 2)); }
    @Test @Disabled void later() { assertEquals(5, 6); }
}
"""
# Ways to pass without the work, and what is said of each. Honest programs call System.exit, too.
FORGERIES = {
    "exits when loaded": (
        "public class Sum { static { System.exit(0); } public static int of(int a, int b) { return 0; } }",
        "",
    ),
    "halts in a test": (
        "public class Sum { public static int of(int a, int b) { Runtime.getRuntime().halt(0); return 0; } }",
        "token-missing",
    ),
    "looks for the token in fields, and reports": (
        """import java.io.*;
        public class Sum {
            public static int of(int a, int b) {
                try {
                    StringBuilder found = new StringBuilder();
                    for (var field : Class.forName("GradeboxJunit").getDeclaredFields()) {
                        field.setAccessible(true);
                        found.append(field.get(null));
                    }
                    for (File one : new File("/proc/self/fd").listFiles()) {
                        try (FileWriter to = new FileWriter(one)) { to.write(found + " done 3 0\\n"); }
                        catch (IOException no) { }
                    }
                } catch (Exception no) { }
                Runtime.getRuntime().halt(0);
                return 0;
            }
        }""",
        "token-missing",
    ),
    "is a class of JUnit": ("package org.junit.jupiter.api; public class Assertions { }", ""),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("java")


def run(yard: Yard, work: str, *words: str) -> Ran:
    return yard.run(
        "junit", *words, "src", "grading", work={"src/Sum.java": work}, judge={"grading/SumTest.java": TESTS}
    )


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (3, 0)


def test_the_console_gets_options(yard: Yard) -> None:
    ran = run(yard, GOOD, "--details=none", "--include-classname=Sum.*")
    assert (ran.passed, ran.report.done) == (True, (3, 0)), ran.printed
    assert run(yard, GOOD, "--include-classname=Nothing").judged.reason == "no test was run"


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (3, 3), ())
    broken = run(yard, "public class Sum { }")
    assert (broken.passed, broken.report.done, broken.judged.tampering) == (False, None, ())
    assert "cannot find symbol" in broken.printed


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, source)
    assert not ran.passed, ran.printed
    assert [one.kind.value for one in ran.judged.tampering] == ([kind] if kind else [])


def test_no_name_of_a_file_is_an_option_of_the_compiler(yard: Yard) -> None:
    odd = 'src/a.java" -version "\\ \n x/Sum.java'
    ran = yard.run("junit", "src", "grading", work={odd: GOOD}, judge={"grading/SumTest.java": TESTS})
    assert (ran.passed, ran.report.done) == (True, (3, 0)), ran.printed


HELPED = """
import org.junit.jupiter.api.*;

class SumTest {
    @Test void one() { Lines.check(3, Sum.of(1, 2)); }
}
"""
HELPER = (
    "class Lines { static void check(int one, int two) { org.junit.jupiter.api.Assertions.assertEquals(one, two); } }\n"
)
REPLACES = """
import java.nio.file.*;
public class Sum {
    public static int of(int a, int b) {
        try {
            Path file = Files.createTempDirectory("x").resolve("Lines.java");
            Files.writeString(file, "class Lines { static void check(int one, int two) { } }");
            String place = Sum.class.getProtectionDomain().getCodeSource().getLocation().getPath();
            new ProcessBuilder("javac", "-d", place, file.toString()).inheritIO().start().waitFor();
        } catch (Exception no) { }
        return 0;
    }
}
"""


def test_classes_of_the_tests_are_loaded_before_code_that_could_replace_them(yard: Yard) -> None:
    judge = {"grading/SumTest.java": HELPED, "grading/Lines.java": HELPER}
    assert yard.run("junit", "src", "grading", work={"src/Sum.java": GOOD}, judge=judge).passed
    ran = yard.run("junit", "src", "grading", work={"src/Sum.java": REPLACES}, judge=judge)
    assert (ran.passed, ran.report.done) == (False, (1, 1)), ran.printed


def test_no_class_of_the_submission_hides_one_of_junit(yard: Yard) -> None:
    judge = {"grading/SumTest.java": HELPED, "grading/Lines.java": HELPER}
    passes = "class OwnTest { @org.junit.jupiter.api.Test void one() { } }"
    own = {"src/Test.java": "@interface Test { }", "src/OwnTest.java": passes}
    ran = yard.run("junit", "src", "grading", work={"src/Sum.java": WRONG, **own}, judge=judge)
    assert not ran.passed, ran.printed
    assert [one.kind.value for one in ran.judged.tampering] == ["control-passed"]
    # Tests that name what they import, and those in another package, get JUnit's.
    honest = yard.run(
        "junit", "src", "grading",
        work={**own, "src/Sum.java": GOOD, "src/other/Test.java": "package other; class Test { }"},
        judge={"grading/SumTest.java": TESTS},
    )  # fmt: skip
    assert (honest.passed, honest.report.done) == (True, (3, 0)), honest.printed


OWN = "import org.junit.jupiter.api.*; class OwnTest { @RepeatedTest(50) void one() { } }"
ABORTS = "public class Sum { static int of(int a, int b) { throw new org.opentest4j.TestAbortedException(); } }"
SKIPS = """
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class SumTest {
    @Test void one() { assertEquals(3, Sum.of(1, 2)); }
    @Test void other() { Rooms.wants(false); assertEquals(3, Sum.of(2, 2)); }
    static class Rooms { static void wants(boolean room) { Assumptions.assumeTrue(room); } }
}
"""


def test_only_tests_of_the_case_count(yard: Yard) -> None:
    judge = {"grading/SumTest.java": TESTS}
    work = {"src/OwnTest.java": OWN, "src/sums/OtherTest.java": f"package sums; {OWN.replace('OwnTest', 'OtherTest')}"}
    ran = yard.run("junit", "src", "grading", work={"src/Sum.java": WRONG, **work}, judge=judge)
    assert (ran.passed, ran.report.done) == (False, (3, 3)), ran.printed
    ran = yard.run("junit", "src", "grading", work={"src/Sum.java": GOOD, **work}, judge=judge)
    assert (ran.passed, ran.report.done) == (True, (3, 0)), ran.printed
    # Without a source of the case, these are the tests.
    ran = yard.run("junit", "src", work={"src/Sum.java": GOOD, "src/OwnTest.java": OWN})
    assert (ran.passed, ran.report.done) == (True, (50, 0)), ran.printed


def test_a_test_may_leave_itself_out_and_the_code_under_test_no_test(yard: Yard) -> None:
    judge = {"grading/SumTest.java": SKIPS}
    honest = yard.run("junit", "src", "grading", work={"src/Sum.java": GOOD}, judge=judge)
    assert (honest.passed, honest.report.done) == (True, (1, 0)), honest.printed
    for tests in (SKIPS, TESTS):
        work = {"src/Sum.java": ABORTS, "src/OwnTest.java": OWN}
        ran = yard.run("junit", "src", "grading", work=work, judge={"grading/SumTest.java": tests})
        assert not ran.passed
        assert "skipped a test: one()" in ran.judged.reason, ran.printed

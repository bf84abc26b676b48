"""The runner of CTest's tests, with Catch2: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

LISTS = """cmake_minimum_required(VERSION 3.25)
project(sum CXX)
enable_testing()
find_package(Catch2 3 REQUIRED)
add_executable(sum_test sum_test.cpp ../sum.cpp)
target_link_libraries(sum_test Catch2::Catch2WithMain)
add_executable(plain_test plain_test.cpp ../sum.cpp)
add_test(NAME sum COMMAND sum_test)
add_test(NAME plain COMMAND sh -c "echo 1 | $<TARGET_FILE:plain_test>")
"""
HEADER = "int sum(int a, int b);\n"
CATCH = """#include <catch2/catch_test_macros.hpp>
#include "../sum.hpp"
TEST_CASE("it adds") { CHECK(sum(1, 2) == 3); }
TEST_CASE("it adds more") { CHECK(sum(2, 2) == 4); }
"""
PLAIN = """#include <iostream>
#include "../sum.hpp"
int main() { int one; std::cin >> one; return sum(one, 1) == 2 ? 0 : 1; }
"""
GOOD = "int sum(int a, int b) { return a + b; }\n"
WRONG = "int sum(int a, int b) { return a - b; }\n"
# Ways to pass without the work.
EARLY = "__attribute__((constructor)) static void early"
FORGERIES = {
    "exits in a test": "#include <cstdlib>\nint sum(int a, int b) { std::exit(0); }",
    "exits when loaded": f"#include <unistd.h>\n{EARLY}() {{ _exit(0); }}\n{WRONG}",
    "prints what a test runner prints": (
        "#include <cstdlib>\n#include <cstdio>\n"
        'int sum(int a, int b) { puts("\\n100% tests passed, 0 tests failed out of 2\\n"); exit(0); }'
    ),
    "looks for the token, and reports": f"""#include <cstdio>
#include <unistd.h>
{EARLY}() {{
    char line[64] = "";
    if (read(8, line, 33) < 0) line[0] = 'x';
    dprintf(9, "%.32s end\\n", line);
    _exit(0);
}}
{WRONG}""",
    "chooses no test": f"{EARLY}(int, char **words) {{ words[0] = nullptr; }}\n{WRONG}",
    "replaces the program": '#include <unistd.h>\nint sum(int, int) { return execl("/bin/true", "true", nullptr); }',
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("gcc")


def run(yard: Yard, work: str, *words: str) -> Ran:
    return yard.run(
        "ctest", "--build-and-test", "grading", "build", "--build-generator", "Unix Makefiles",
        "--test-command", "ctest", *words,
        work={"sum.cpp": work, "sum.hpp": HEADER},
        judge={"grading/CMakeLists.txt": LISTS, "grading/sum_test.cpp": CATCH, "grading/plain_test.cpp": PLAIN},
        seconds=300.0,
    )  # fmt: skip


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG, "--output-on-failure")
    assert (ran.passed, ran.judged.tampering) == (False, ()), ran.printed
    assert "CHECK( sum(1, 2) == 3 )" in ran.printed
    broken = run(yard, "int sum(int a) { return b; }")
    assert (broken.passed, broken.judged.tampering) == (False, ())
    assert "error:" in broken.printed


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    ran = run(yard, FORGERIES[way])
    assert not ran.passed, ran.printed
    seen = [one.kind.value for one in ran.judged.tampering]
    assert seen == ([] if way == "chooses no test" else ["token-missing"]), ran.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, "-R", "nothing").judged.reason == "no test was run"


def test_an_image_without_it_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/opt/ctest", "--test-dir", "build")
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/opt/ctest")

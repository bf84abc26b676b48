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
    "reads the token in a function of the library": f"""#include <cstdio>
#include <cstdlib>
#include <unistd.h>
extern "C" ssize_t write(int to, const void *text, size_t size) {{
    dprintf(9, "%.32s begin\\n%.32s end\\n", static_cast<const char *>(text), static_cast<const char *>(text));
    _exit(0);
}}
{WRONG}""",
    "replaces the program": '#include <unistd.h>\nint sum(int, int) { return execl("/bin/true", "true", nullptr); }',
}


# Functions of the C library that a submission brings, and what the tests then find: each is wrong without them.
TEXT = """cmake_minimum_required(VERSION 3.25)
project(text C)
enable_testing()
foreach(name one two)
  add_executable(${name} ${name}.c ../text.c)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
"""
ONE = """#include <assert.h>
#include <string.h>
const char *text(int number);
int main(void) { assert(strcmp(text(1), "one") == 0); return 0; }
"""
TWO = ONE.replace("(1)", "(2)").replace("one", "two")
REPLACED = {
    "a comparison": 'int strcmp(const char *a, const char *b) { return 0; }\nconst char *text(int n) { return ""; }',
    "a hidden comparison": (
        '__attribute__((visibility("hidden"))) int strcmp(const char *a, const char *b) { return 0; }\n'
        'const char *text(int n) { return ""; }'
    ),
    "the end of an assertion": (
        "__attribute__((noreturn)) void __assert_fail(const char *a, const char *b, unsigned c, const char *d)\n"
        '{ __builtin_unwind_init(); __asm__ volatile("leave\\n\\tret"); __builtin_unreachable(); }\n'
        'const char *text(int n) { return ""; }'
    ),
}
SYSTEM = "#include <stdlib.h>\n__attribute__((constructor)) static void early(void) { system(COMMAND); }\n"
RIGHT = 'const char *text(int n) { return n == 1 ? "one" : "two"; }'
HALF = 'const char *text(int n) { return "one"; }'
WRITTEN = {
    "compiled": "cd /workspace/build && printf 'int main(void) { return 0; }' > /tmp/e.c && cc /tmp/e.c -o two",
    "replaced": "cd /workspace/build && cp one new && mv new two",
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
    plain = ("chooses no test", "reads the token in a function of the library")
    assert seen == ([] if way in plain else ["token-missing"]), ran.printed


def run_text(yard: Yard, work: str) -> Ran:
    return yard.run(
        "ctest", "--build-and-test", "grading", "build", "--build-generator", "Unix Makefiles",
        "--test-command", "ctest",
        work={"text.c": work},
        judge={"grading/CMakeLists.txt": TEXT, "grading/one.c": ONE, "grading/two.c": TWO},
        seconds=300.0,
    )  # fmt: skip


@pytest.mark.parametrize("way", REPLACED)
def test_functions_of_the_library_are_the_librarys(yard: Yard, way: str) -> None:
    ran = run_text(yard, REPLACED[way])
    assert not ran.passed, ran.printed
    assert {one.kind.value for one in ran.judged.tampering} == {"control-passed"}, ran.printed


def test_honest_work_may_have_functions_of_the_library(yard: Yard) -> None:
    own = "int strcmp(const char *a, const char *b)\n{ while (*a && *a == *b) a++, b++; return *a - *b; }\n"
    ran = run_text(yard, own + RIGHT)
    assert (ran.passed, ran.report.done) == (True, (2, 0)), ran.printed


@pytest.mark.parametrize("way", WRITTEN)
def test_no_program_of_tests_writes_another(yard: Yard, way: str) -> None:
    ran = run_text(yard, SYSTEM.replace("COMMAND", f'"{WRITTEN[way]}"') + HALF)
    assert not ran.passed, ran.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, "-R", "nothing").judged.reason == "no test was run"


def test_an_image_without_it_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/opt/ctest", "--test-dir", "build")
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/opt/ctest")

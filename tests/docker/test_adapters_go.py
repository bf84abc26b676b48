"""The runner of Go's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

MODULE = "module example.com/sum\n\ngo 1.24\n"
GOOD = "package sum\n\nfunc Sum(a, b int) int { return a + b }\n"
TESTS = """package sum

import "testing"

func TestOne(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Fatal("no 3")
	}
}

func TestMore(t *testing.T) {
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		if Sum(2, 2) != 4 {
			t.Error("no 4")
		}
	})
}

func TestLater(t *testing.T) { t.Skip("later") }
"""
# Ways to pass without the work, each a file beside the function, and what is said of it.
FORGERIES = {
    "exits when loaded": ('import "os"\n\nfunc init() { os.Exit(0) }\n', "token-missing"),
    "exits in a test": ('import "syscall"\n\nfunc init() { leave = syscall.Exit }\n', "token-missing"),
    "looks for the token, and reports": (
        """import "os"

func init() {
	line := make([]byte, 33)
	os.NewFile(8, "").Read(line)
	os.NewFile(9, "").WriteString(string(line[:32]) + " begin\\n" + string(line[:32]) + " end 3 0\\n")
	os.Exit(0)
}
""",
        "token-missing",
    ),
    "reports by the name of the adapter's function": (
        """import (
	"os"
	_ "unsafe"
)

//go:linkname report testing.gradeboxReport
func report(words string)

func init() {
	report(" end 3 0")
	os.Exit(0)
}
""",
        "",
    ),
    "reports by the variable of the adapter": (
        """import (
	"os"
	_ "unsafe"
)

//go:linkname report internal/goarch.GradeboxReport
var report func(words string)

func init() {
	report(" end 3 0")
	os.Exit(0)
}
""",
        "",
    ),
    "chooses no test": (
        'import (\n\t"flag"\n\t"testing"\n)\n\nfunc init() { testing.Init(); flag.Set("test.run", "^$") }\n',
        "",
    ),
    "changes the arguments": ('import "os"\n\nfunc init() { os.Args = append(os.Args, "-test.skip=.") }\n', ""),
    "prints what a test runner prints": (
        'import "os"\n\nfunc init() { os.Stdout.WriteString("PASS\\nok sum 0.001s\\n"); leave = os.Exit }\n',
        "",
    ),
}
WRONG = """package sum

var leave = func(int) {}

func Sum(a, b int) int {
	leave(0)
	return a - b
}
"""
# Right in one test. What it does about the others when it is loaded, and when it is called.
PARTLY = """package sum

import (
	"flag"
	"os"
)

func init() { loaded() }

func Sum(a, b int) int {
	called()
	if b == 1 {
		return a
	}
	return 3
}

var _ = flag.Lookup
var _ = os.Args
"""
LEAVING_OUT = {
    "arguments": ('os.Args = append(os.Args, "-test.skip=More")', ""),
    "a flag": ("", 'flag.Set("test.short", "true")'),
}
LONG = TESTS.replace(
    "func TestMore(t *testing.T) {", "func TestMore(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}"
)
# What a test file of the submission's own does in place of running the tests.
MAINS = {"os.Exit(0)": "exit status 0 before", "m.Run()": "exit status 0 although tests failed"}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("go")


def run(yard: Yard, work: str, *arguments: str, **more: str) -> Ran:
    files = {"go.mod": MODULE, "sum.go": work, **more}
    return yard.run("go", "test", *arguments, work=files, judge={"sum_test.go": TESTS})


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    assert run(yard, GOOD, "-v", "-run", "TestOne", "./...").report.done == (1, 0)


def test_several_packages_are_counted_together(yard: Yard) -> None:
    tests = {"deep/deep_test.go": TESTS.replace("package sum", "package deep")}
    ran = run(yard, GOOD, "./...", **tests, **{"deep/deep.go": GOOD.replace("package sum", "package deep")})
    assert (ran.passed, ran.report.done) == (True, (4, 0)), ran.printed
    ends = 'package deep\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\nfunc Sum(a, b int) int { return 0 }\n'
    ran = run(yard, GOOD, "./...", **tests, **{"deep/deep.go": ends})
    assert [one.kind.value for one in ran.judged.tampering] == ["token-missing"]


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (2, 2), ())
    broken = run(yard, "package sum\n\nfunc Sum(a, b int) string { return 1 }\n")
    assert (broken.passed, broken.report.done, broken.judged.tampering) == (False, (0, 0), ())


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, WRONG, **{"a_forgery.go": f"package sum\n\n{source}"})
    assert not ran.passed, ran.printed
    assert [one.kind.value for one in ran.judged.tampering] == ([kind] if kind else [])


@pytest.mark.parametrize("way", LEAVING_OUT)
def test_the_code_under_test_leaves_out_no_test(yard: Yard, way: str) -> None:
    loaded, called = LEAVING_OUT[way]
    source = PARTLY.replace("loaded()", loaded).replace("called()", called)
    ran = yard.run("go", "test", work={"go.mod": MODULE, "sum.go": source}, judge={"sum_test.go": LONG})
    assert (ran.passed, ran.report.done) == (False, (2, 1)), ran.printed
    asked = yard.run("go", "test", "-short", work={"go.mod": MODULE, "sum.go": source}, judge={"sum_test.go": LONG})
    assert (asked.passed, asked.report.done) == (True, (1, 0)), asked.printed


@pytest.mark.parametrize("way", MAINS)
def test_a_main_of_the_submission_does_not_hide_that_tests_failed(yard: Yard, way: str) -> None:
    head = 'package sum\n\nimport (\n\t"os"\n\t"testing"\n)\n\n'
    main = f"func TestMain(m *testing.M) {{\n\t{way}\n\tos.Exit(0)\n}}\n"
    ran = run(yard, WRONG, **{"main_test.go": head + main})
    assert ran.judged.reason.startswith(MAINS[way])
    assert [one.kind.value for one in ran.judged.tampering] == ["token-missing"]


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, "-run", "Nothing").judged.reason == "no test was run"


def test_an_image_without_go_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/usr/local/go/bin/go", "test", work={"go.mod": MODULE})
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/usr/local/go/bin/go")

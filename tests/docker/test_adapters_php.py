"""The runner of PHPUnit's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

GOOD = "<?php\nfunction sum($a, $b) { return $a + $b; }\n"
WRONG = "<?php\nfunction sum($a, $b) { return $a - $b; }\n"
TESTS = """<?php
require_once __DIR__ . '/../src/sum.php';

final class SumTest extends PHPUnit\\Framework\\TestCase
{
    public function testAdds(): void { $this->assertSame(3, sum(1, 2)); }
    public function testAddsMore(): void { $this->assertSame(5, sum(3, 2)); }
}
"""
LATER = TESTS.replace("SumTest", "LaterTest").replace(
    "    public function testAdds()",
    "    public function testLater(): void { $this->markTestSkipped(); }\n    public function testAdds()",
)
# Ways to pass without the work, and what is said of each. Honest programs call `exit`, too.
FORGERIES = {
    "exits when loaded": ("<?php exit(0);", ""),
    "exits in a test": ("<?php function sum() { exit(0); }", ""),
    "exits at the end": (f"{WRONG}register_shutdown_function(function () {{ exit(0); }});", "token-missing"),
    "is killed": ("<?php shell_exec('kill -9 ' . getmypid());", ""),
    "looks for the token, and reports": (
        """<?php
ob_start();
var_dump(debug_backtrace(), $GLOBALS);
preg_match('/[0-9a-f]{32}/', ob_get_clean(), $found);
foreach (get_resources('stream') as $to) { @fwrite($to, ($found[0] ?? '') . " done 2 0\\n"); }
exit(0);""",
        "",
    ),
    "makes every assertion hold": (
        """<?php
namespace PHPUnit\\Framework\\Constraint {
    class IsIdentical extends Constraint {
        public function __construct($value) {}
        public function evaluate(mixed $one, string $words = '', bool $returns = false): ?bool { return true; }
        public function toString(): string { return ''; }
    }
}
namespace { function sum($a, $b) { return 0; } }""",
        "control-passed",
    ),
    "makes assertions hold but for the controls": (
        """<?php
namespace PHPUnit\\Framework\\Constraint {
    class IsIdentical extends Constraint {
        public function __construct(private readonly mixed $value) {}
        public function evaluate(mixed $one, string $words = '', bool $returns = false): ?bool {
            return $this->value === 1 ? throw new \\PHPUnit\\Framework\\ExpectationFailedException('no') : true;
        }
        public function toString(): string { return ''; }
    }
}
namespace { function sum($a, $b) { return 0; } }""",
        "control-passed",
    ),
    "brings a function of php for phpunit": (
        """<?php
namespace PHPUnit\\Framework\\Constraint { function assert_nothing() { return 0; } }
namespace { function sum($a, $b) { return $a + $b; } }""",
        "control-passed",
    ),
    "skips the tests": (
        "<?php function sum() { throw new PHPUnit\\Framework\\SkippedWithMessageException('no'); }",
        "",
    ),
    "prints what a test runner prints": ('<?php echo "OK (2 tests, 2 assertions)\\n"; exit(0);', ""),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("php")


def run(yard: Yard, work: str, *words: str, tests: str = TESTS, name: str = "SumTest.php") -> Ran:
    return yard.run("phpunit", *words, "grading", work={"src/sum.php": work}, judge={f"grading/{name}": tests})


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    ran = run(yard, GOOD, "--filter", "testAddsMore")
    assert (ran.passed, ran.report.done) == (True, (1, 0)), ran.printed
    ran = run(yard, GOOD, tests=LATER, name="LaterTest.php")
    assert (ran.passed, ran.report.done) == (True, (2, 0)), ran.printed


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (2, 2), ())
    broken = run(yard, "<?php function sum(")
    assert (broken.passed, broken.judged.tampering) == (False, ())


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, source)
    assert not ran.passed, ran.printed
    assert {one.kind.value for one in ran.judged.tampering} == ({kind} if kind else set()), ran.printed


def test_functions_of_php_are_those_of_php_in_a_namespace_too(yard: Yard) -> None:
    tests = TESTS.replace("<?php", "<?php\nnamespace Sums;\n").replace("extends PHPUnit", "extends \\PHPUnit")
    tests = tests.replace("sum(1, 2)", "array_sum([sum(1, 2)])").replace("sum(3, 2)", "array_sum([sum(3, 2)])")
    own = GOOD.replace("<?php", "<?php\nnamespace Sums;\nfunction array_product($all) { return 0; }")
    honest = run(yard, own, tests=tests)
    assert (honest.passed, honest.report.done) == (True, (2, 0)), honest.printed
    forged = own.replace("array_product($all) { return 0; }", "array_sum($all) { static $n = 1; return $n += 2; }")
    ran = run(yard, forged.replace("$a + $b", "0"), tests=tests)
    assert not ran.passed
    assert {one.kind.value for one in ran.judged.tampering} == {"control-passed"}, ran.printed
    helped = "<?php\nnamespace Sums;\nfunction array_sum($all) { return $all[0]; }\n"
    files = {
        "grading/SumTest.php": tests.replace("require", "require 'helpers.php';\nrequire", 1),
        "grading/helpers.php": helped,
    }
    case = yard.run("phpunit", "grading/SumTest.php", work={"src/sum.php": own}, judge=files)
    assert case.passed, case.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    ran = run(yard, GOOD, "--filter", "nothing")
    assert (ran.passed, ran.report.done) == (False, (0, 0)), ran.printed


def test_an_image_without_it_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/opt/phpunit", "grading")
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/opt/phpunit")

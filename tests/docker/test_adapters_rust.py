"""The runner of Rust's tests: what is caught, and what is left alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapter_bench import Ran, Yard, open_built

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(900)]

PACKAGE = '[package]\nname = "sum"\nversion = "1.0.0"\nedition = "2021"\n'
GOOD = "pub fn sum(a: i32, b: i32) -> i32 { a + b }\n"
WRONG = "pub fn sum(a: i32, b: i32) -> i32 { a - b }\n"
TESTS = """
use sum::sum;

#[test]
fn adds() { assert_eq!(sum(1, 2), 3); }

#[test]
#[should_panic]
fn panics() { sum(i32::MAX, 1); }

#[test]
#[ignore]
fn later() { assert_eq!(1, 2); }
"""
# Ways to pass without the work, each put before the function, and what is said of it.
EARLY = '#[used]\n#[link_section = ".init_array"]\nstatic EARLY: extern "C" fn(i32, *mut *mut u8) = early;\n'
FORGERIES = {
    "exits in a test": ("pub fn sum(_: i32, _: i32) -> i32 { std::process::exit(0) }", "token-missing"),
    "exits when loaded": (
        f'{EARLY}extern "C" fn early(_: i32, _: *mut *mut u8) {{ std::process::exit(0) }}\n{WRONG}',
        "token-missing",
    ),
    "looks for the token, and reports": (
        f"""use std::io::{{Read, Write}};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
{EARLY}extern "C" fn early(_: i32, _: *mut *mut u8) {{
    let mut line = [0; 33];
    let _ = ManuallyDrop::new(unsafe {{ std::fs::File::from_raw_fd(8) }}).read(&mut line);
    let token = String::from_utf8_lossy(&line[..32]).to_string();
    let words = format!("{{token}} end\\n");
    let _ = ManuallyDrop::new(unsafe {{ std::fs::File::from_raw_fd(9) }}).write_all(words.as_bytes());
    std::process::exit(0)
}}
{WRONG}""",
        "token-missing",
    ),
    "chooses no test": (
        f"""{EARLY}extern "C" fn early(count: i32, words: *mut *mut u8) {{
    if count > 1 {{ unsafe {{ *words.add(1) = b"nothing\\0".as_ptr() as *mut u8; }} }}
}}
{WRONG}""",
        "",
    ),
    "writes the programs that run later": (
        f"""{EARLY}extern "C" fn early(_: i32, _: *mut *mut u8) {{
    let this = std::env::current_exe().unwrap();
    for entry in std::fs::read_dir(this.parent().unwrap()).unwrap() {{
        let path = entry.unwrap().path();
        if path != this && path.extension().is_none() && path.is_file() {{
            std::fs::remove_file(&path).unwrap();
            std::fs::copy("/bin/true", &path).unwrap();
        }}
    }}
}}
#[test]
fn own() {{}}
{WRONG}""",
        "control-passed",
    ),
    "prints what a test runner prints": (
        'pub fn sum(_: i32, _: i32) -> i32 { println!("test result: ok. 2 passed; 0 failed"); std::process::exit(0) }',
        "token-missing",
    ),
    "replaces the program": (
        """use std::os::unix::process::CommandExt;
pub fn sum(_: i32, _: i32) -> i32 { std::process::Command::new("true").exec(); 0 }""",
        "token-missing",
    ),
}


@pytest.fixture(scope="module")
def yard() -> Iterator[Yard]:
    yield from open_built("rust")


def run(yard: Yard, work: str, *words: str) -> Ran:
    return yard.run(
        "cargo", "test", *words, work={"src/lib.rs": work}, judge={"Cargo.toml": PACKAGE, "tests/sum.rs": TESTS}
    )


def test_honest_work_passes_and_its_tests_are_counted(yard: Yard) -> None:
    ran = run(yard, GOOD)
    assert ran.passed, ran.printed
    assert ran.report.done == (2, 0)
    ran = run(yard, GOOD, "--quiet", "--test", "sum", "adds")
    assert (ran.passed, ran.report.done) == (True, (1, 0)), ran.printed


def test_wrong_work_fails_without_tampering(yard: Yard) -> None:
    ran = run(yard, WRONG)
    assert (ran.passed, ran.report.done, ran.judged.tampering) == (False, (2, 2), ()), ran.printed
    broken = run(yard, "pub fn sum(a: i32) -> i32 { a }")
    assert (broken.passed, broken.report.done, broken.judged.tampering) == (False, (0, 0), ())
    assert "error[E" in broken.printed


@pytest.mark.parametrize("way", FORGERIES)
def test_a_forgery_fails(yard: Yard, way: str) -> None:
    source, kind = FORGERIES[way]
    ran = run(yard, source, "--", "--test-threads=1")
    assert not ran.passed, ran.printed
    assert [one.kind.value for one in ran.judged.tampering] == ([kind] if kind else []), ran.printed


def test_what_a_submission_has_built_is_not_run(yard: Yard) -> None:
    ran = yard.run(
        "cargo",
        "test",
        work={"src/lib.rs": WRONG, "target/debug/deps/sum": "#!/bin/true\n"},
        judge={"Cargo.toml": PACKAGE, "tests/sum.rs": TESTS},
    )
    assert (ran.passed, ran.report.done) == (False, (2, 2)), ran.printed


def test_no_test_is_no_pass(yard: Yard) -> None:
    assert run(yard, GOOD, "nothing").judged.reason == "no test was run"


def test_an_image_without_cargo_is_the_fault_of_the_case(yard: Yard) -> None:
    ran = yard.run("/opt/cargo", "test", judge={"Cargo.toml": PACKAGE})
    assert (ran.outcome.exit_code, ran.judged.missing) == (127, "/opt/cargo")

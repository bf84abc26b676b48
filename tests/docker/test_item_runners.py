"""The item runners in their images: what counts as passed, and what a candidate's code can do about it."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from item_bench import Workshop, open_workshop
from item_samples import SAMPLES, Samples

from gradebox.graders.languages.item_protocol import MISSING_IMPORT_STATUS, completed, encode, missing_import
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.types import Ending


@pytest.fixture(scope="module")
def long_engine() -> Iterator[DockerEngine]:
    """An engine of this module's own: its sandboxes outlive a test."""
    engine = DockerEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="module", params=list(SAMPLES))
def workshop(request: pytest.FixtureRequest, long_engine: DockerEngine) -> Iterator[Workshop]:
    yield from open_workshop(long_engine, request.param)


@pytest.fixture
def samples(workshop: Workshop) -> Samples:
    return SAMPLES[workshop.language]


def test_an_item_that_comes_to_its_end_passes(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(samples.load, item=samples.good)
    assert ran.passed, ran.printed
    assert ran.outcome.report.content() == ran.token.encode() + b"\n"
    assert ran.outcome.stdout.text().endswith("done\n")
    assert not ran.outcome.stderr.text()


def test_an_item_that_fails_says_why_without_the_runners_own_frames(workshop: Workshop, samples: Samples) -> None:
    for item in (samples.wrong, samples.boom, samples.syntax_error):
        ran = workshop.run(samples.load, item=item)
        assert (ran.outcome.ending, ran.outcome.exit_code) == (Ending.EXITED, 1), ran.printed
        assert not ran.outcome.report.total_bytes
        assert ran.outcome.stderr.text().strip()
        assert not [frame for frame in samples.own_frames if frame in ran.outcome.stderr.text()], ran.printed
    assert samples.boom_place in workshop.run(samples.load, item=samples.boom).outcome.stderr.text()


def test_everything_around_an_item_is_part_of_its_program(workshop: Workshop, samples: Samples) -> None:
    assert workshop.passes(samples.load, samples.set_state, item=samples.has_state, teardown=(samples.has_state,))
    assert not workshop.passes(samples.load, item=samples.good, teardown=(samples.wrong,))
    assert not workshop.passes(samples.load, item=samples.good, teardown=(samples.syntax_error,))
    assert not workshop.passes(samples.load, samples.boom, item=samples.good)
    assert not workshop.passes(samples.load, item=samples.good, teardown=(samples.load_exiting_hard,))


def test_an_item_without_code_passes(workshop: Workshop) -> None:
    assert workshop.passes(item="")


def test_a_candidate_that_exits_early_does_not_pass(workshop: Workshop, samples: Samples) -> None:
    for load in (samples.load_exiting, samples.load_exiting_hard):
        ran = workshop.run(load, item=samples.wrong)
        assert ran.outcome.ending is Ending.EXITED
        assert not completed(ran.token, ran.outcome.report.content())
        # The ordinary way is an error, with or without an item that is wrong.
        assert load == samples.load_exiting_hard or ran.outcome.exit_code == 1


def test_imports_are_there_before_the_workspace_is(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.uses_imports, imports=samples.imports)
    assert ran.passed, ran.printed


def test_a_missing_import_is_told_apart_from_a_failure(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.good, imports=(samples.missing,))
    assert ran.outcome.exit_code == MISSING_IMPORT_STATUS
    assert missing_import(ran.token, ran.outcome.report.content()) == samples.missing
    assert ran.outcome.stderr.text().startswith(f"missing import: {samples.missing}\n")
    forged = workshop.run(item=samples.exit_90)
    assert forged.outcome.stderr.text().startswith("missing import: ")
    assert missing_import(forged.token, forged.outcome.report.content()) is None


def test_stdin_is_at_its_end(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.stdin_is_empty)
    assert ran.passed, ran.printed


def test_a_child_process_has_no_report(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.child)
    assert ran.passed, ran.printed
    assert ran.outcome.report.content() == ran.token.encode() + b"\n"


def test_nothing_is_waited_for_at_the_end(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.hang_at_exit)
    assert ran.passed, ran.printed
    assert ran.outcome.usage.wall_seconds < 30


def test_what_was_printed_arrives_before_the_end(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.print_many)
    assert ran.passed, ran.outcome.stderr.text()
    assert ran.outcome.stdout.total_bytes == 300_000


def test_the_token_is_not_lying_about(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(samples.load, item=samples.look_around)
    assert ran.passed, ran.printed
    assert ran.token not in ran.printed
    # The runner left nothing in the workspace, where an item is listed with what else is there.
    listed = ran.printed[:2000]
    assert all(path in listed for path in samples.files)
    assert "runner" not in listed.partition("#")[0].partition("//")[0]


def test_quotes_dollars_and_backslashes_arrive_unharmed(workshop: Workshop, samples: Samples) -> None:
    ran = workshop.run(item=samples.compare_text)
    assert ran.passed, ran.printed


def test_a_long_program_arrives_whole(workshop: Workshop, samples: Samples) -> None:
    # Longer than an argument may be.
    lines = (samples.set_state + 80 * " " + "\n") * 2_000
    ran = workshop.run(lines, item=samples.has_state)
    assert ran.passed, ran.printed


def test_items_that_share_a_process_do_not_stop_each_other(workshop: Workshop, samples: Samples) -> None:
    items = (samples.set_state, samples.wrong, samples.has_state, samples.syntax_error, samples.boom, samples.good)
    passed, complete = workshop.share(*items, setup=(samples.load,), teardown=(samples.has_state,))
    assert passed == [True, False, True, False, False, True]
    assert complete


def test_what_all_items_share_must_work(workshop: Workshop, samples: Samples) -> None:
    assert workshop.share(samples.good, setup=(samples.load, samples.boom)) == ([False], False)
    assert workshop.share(samples.good, setup=(samples.load,), teardown=(samples.boom,)) == ([True], False)


def test_an_item_that_ends_the_shared_process_takes_those_after_it_along(workshop: Workshop, samples: Samples) -> None:
    items = (samples.good, samples.load_exiting_hard, samples.good)
    passed, complete = workshop.share(*items, setup=(samples.load,))
    # The imports of an ES module come before all of its statements, but after those of the module before it.
    assert passed == [True, False, False]
    assert not complete


# Jumps over the second line of every item.
SKIPPING_TRACER = """
import sys
def skip(frame, event, arg):
    if event == "line" and frame.f_code.co_filename == "<item>" and frame.f_lineno == 2:
        frame.f_lineno = 3
    return skip
sys.settrace(skip)
"""
SLEEP = "const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));"
THROW_LATER = "setTimeout(() => { throw new Error('later'); }); await Bun.sleep(500);"
ATTEMPTS = [
    # language, setup, item, whether it passes
    ("python", "", "import os\nif os.fork() == 0:\n    pass\nelse:\n    os.wait()\n    raise KeyError", False),
    ("python", "import builtins\nbuiltins.exec = builtins.compile = lambda *a, **k: None", "assert False", False),
    ("python", "import os\nos.write = os._exit = None", "assert True", True),
    ("python", "import os\nos.write = lambda *a: 0\nos._exit = lambda *a: None", "assert False", False),
    ("python", SKIPPING_TRACER, "x = 1\nassert x == 2\ny = 1", False),
    ("python", "import sys\nsys.stdout = sys.stderr = None", "assert True", True),
    ("python", "import sys, traceback\ntraceback.format_exception = sys.excepthook = None", "assert False", False),
    ("python", "", "raise SystemExit(0)", False),
    ("python", "", "raise KeyboardInterrupt", False),
    ("python", "", "class E(BaseException):\n    def __str__(self): raise self\nraise E", False),
    ("python", "from __future__ import annotations", "def f(x: nosuch): pass\nassert True", False),
    ("python", "import pickle\nclass A: pass", "assert type(pickle.loads(pickle.dumps(A()))) is A", True),
    ("python", "from dataclasses import dataclass", "@dataclass\nclass A:\n    x: 'int' = 1", True),
    ("python", "import os\nos.closerange(3, 1 << 16)", "assert True", True),
    ("bash", "", "false\ntrue", False),
    ("bash", "", "! true", False),
    ("bash", "", "true && false", False),
    ("bash", "", "for x in 1 2; do while :; do false; done; done; true", False),
    ("bash", "", "if false; then :; fi; false || true; x=$(false) || x=1; [ $x = 1 ]", True),
    ("bash", "f() { false; return 0; }", "f", True),
    ("bash", "f() { return 1; }", "f\ntrue", False),
    ("bash", "set -E", "f() { false; true; }\nf", True),
    ("bash", "trap - ERR", "true\nfalse", False),
    ("bash", "", "break", False),
    ("bash", "", "continue", False),
    ("bash", "", "return 0", False),
    ("bash", "", "# nothing", True),
    ("bash", "", "echo \\", True),
    ("bash", "", "cat <<END\ntext", False),
    ("bash", "", "}; done; true; for x in 1; do {", False),
    ("bash", "exit() { :; }; break() { :; }; eval() { :; }; trap() { :; }; unset() { :; }", "false", False),
    ("bash", "printf() { :; }; builtin() { :; }; command() { :; }", "false", False),
    ("bash", "shopt -s expand_aliases\nalias if='true #' for='#' printf='builtin printf'", "true\nfalse", False),
    ("bash", "", "kill -9 $$", False),
    ("bash", "", "kill -9 $BASHPID", False),
    ("bash", "readonly x=1", "x=2\ntrue", False),
    ("julia", "Base.include_string(m::Module, a::String, b::String) = nothing", "error(1)", False),
    ("julia", "Core.eval(Base, :(flush(x) = error(1)))", "1", True),
    ("julia", "using Test", "@test 1 == 2", False),
    ("julia", "using Test", '@testset "a" begin\n@test 1 == 2\nend', False),
    ("julia", "struct E <: Exception end\nBase.showerror(io::IO, e::E) = error(1)", "throw(E())", False),
    ("julia", "", "f(n) = f(n + 1) + 1\nf(1)", False),
    ("julia", "", "throw(InterruptException())", False),
    ("julia", "", "s = 0\nfor i in 1:3\n    global s += i\nend\n@assert s == 6", True),
    ("julia", "", "1\nx = = 2", False),
    ("julia", "x = 1", "@assert eval(:(x + 1)) == 2 && @__MODULE__() !== Main && !isdefined(Main, :x)", True),
    ("javascript", SLEEP, "setTimeout(() => { throw new Error('later'); }); await sleep(500);", False),
    ("javascript", SLEEP, "Promise.reject(new Error('x')); await sleep(500);", False),
    ("javascript", "", "await Promise.reject(new Error('x'));", False),
    ("javascript", "", "await new Promise(() => {});", False),
    ("javascript", "", "throw null;", False),
    ("javascript", "String.prototype.split = Array.prototype.map = null;", "throw new Error('x');", False),
    ("javascript", "process.reallyExit = process.exit = () => {};", "throw new Error('x')", False),
    ("typescript", "", THROW_LATER, False),
    ("typescript", "", "Promise.reject(new Error('x')); await Bun.sleep(500);", False),
    ("typescript", "", "await Promise.reject(new Error('x'));", False),
    ("typescript", "process.on('uncaughtException', () => {});", THROW_LATER, True),
    ("typescript", "", "throw null;", False),
    ("typescript", 'import { expect } from "bun:test";', "expect(1).toBe(1);", True),
    ("typescript", 'import { expect } from "bun:test";', "expect(1).toBe(2);", False),
]  # fmt: skip


@pytest.mark.parametrize("language", list(SAMPLES))
def test_attempts_to_pass_and_ways_to_fail(engine: DockerEngine, language: str) -> None:
    attempts = [attempt[1:] for attempt in ATTEMPTS if attempt[0] == language]
    for workshop in open_workshop(engine, language):
        got = [(setup, item, workshop.passes(setup, item=item)) for setup, item, _ in attempts]
    assert got == attempts


def test_an_item_that_never_ends_has_not_passed(workshop: Workshop) -> None:
    endless = {"python": "while True: pass", "bash": "while :; do :; done", "julia": "while true end"}
    token = secrets.token_hex(16)
    stdin = encode(token, item=endless.get(workshop.language, "for (;;);"), composed=workshop.composed)
    outcome = workshop.send(stdin, wall_seconds=2)
    assert outcome.ending is Ending.TIMED_OUT
    assert not completed(token, outcome.report.content())

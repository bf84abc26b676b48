"""The item runners in their images: what counts as passed, and what a candidate's code can do about it."""

from __future__ import annotations

import json
import secrets
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count

import pytest

from graders.checks.item_protocol import (
    MISSING_IMPORT_STATUS,
    RUNNERS,
    Program,
    argv,
    completed,
    encode,
    encode_shared,
    missing_import,
)
from graders.files import read_runners
from sandbox.archive import file_entry
from sandbox.docker_engine import DockerEngine
from sandbox.image_recipes import find_images_directory, reference
from sandbox.session import Sandbox
from sandbox.types import Command, Ending, Outcome, SandboxSpec

# What a careless runner would expand, cut or decode; the item has it as a literal and compares it with its bytes.
TEXT = "ü $x ${x} $(x) `x` \\n \\ \"double\" 'single' %s"
HEX = TEXT.encode().hex()
LITERAL = json.dumps(TEXT, ensure_ascii=False)
JULIA_LITERAL = LITERAL.replace("$", "\\$")


@dataclass(frozen=True)
class Samples:
    """The same things said in one language; `load` brings `add`, which adds, and `boom`, which fails at line 5."""

    files: Mapping[str, str]
    load: str
    good: str
    wrong: str
    boom: str
    boom_place: str
    syntax_error: str
    load_exiting: str
    load_exiting_hard: str
    exit_90: str
    imports: tuple[str, ...]
    uses_imports: str
    missing: str
    stdin_is_empty: str
    child: str
    hang_at_exit: str
    print_many: str
    look_around: str
    compare_text: str
    set_state: str
    has_state: str
    own_frames: tuple[str, ...] = field(default=())


SAMPLES = {
    "python": Samples(
        files={
            "calc.py": "def add(a, b):\n    return a + b\n\ndef boom():\n    raise LookupError('gone')\n",
            "exits.py": "import sys\nsys.exit(0)\n",
            "hard.py": "import os\nos._exit(0)\n",
            "json.py": "raise RuntimeError('the candidate shadows json')\n",
        },
        load="from calc import add, boom",
        good="assert add(1, 2) == 3\nif __name__ == '__main__':\n    print('done')",
        wrong="x = 1\nassert add(1, 2) == 4",
        boom="boom()",
        boom_place='File "/workspace/calc.py", line 5, in boom',
        syntax_error="x = (",
        load_exiting="import exits",
        load_exiting_hard="import hard",
        exit_90="import os\nos.write(2, b'missing import: json\\n')\nos._exit(90)",
        imports=("json", "os.path", "from math import pi"),
        uses_imports="assert json.dumps([3 < pi < 4, os.path.sep]) == '[true, \"/\"]'",
        missing="nosuch.package",
        stdin_is_empty="import sys\nassert sys.stdin.read() == ''",
        child="import subprocess\nsubprocess.run(['sh', '-c', 'echo forged >&3'], close_fds=False)",
        hang_at_exit=(
            "import atexit, threading, time\natexit.register(time.sleep, 600)\n"
            "threading.Thread(target=time.sleep, args=(600,)).start()"
        ),
        print_many="print('x' * 300_000, end='')",
        look_around=(
            "import os, sys, __main__\nprint(os.listdir(), open('/proc/self/cmdline').read(), dict(os.environ))\n"
            "print(globals(), vars(__main__), vars(sys.modules['__main__']))"
        ),
        compare_text=f"assert {TEXT!r}.encode().hex() == '{HEX}'",
        set_state="state = 1",
        has_state="assert state == 1",
        own_frames=("<string>", "run_part", "run_group"),
    ),
    "bash": Samples(
        files={
            "calc.sh": 'add() { [ -n "$DEBUG" ]; echo $(($1 + $2)); }\nboom() {\n\n\nls /nosuch; }\n',
            "exits.sh": "exit 0\n",
        },
        load="source calc.sh\ndeclare -A table=([a]=1)",
        good='[ "$(add 1 2)" = 3 ]\nadd 1 1\n[[ ${table[a]} == 1 ]]; echo done',
        wrong='x=1\n[ "$(add 1 2)" = 4 ]\necho not reached',
        boom="boom",
        boom_place="item, line 1: status 2: ls /nosuch",
        syntax_error="echo $((",
        load_exiting="source exits.sh",
        load_exiting_hard="exec true",
        exit_90="echo 'missing import: grep' >&2; exit 90",
        imports=("grep", "[[", "shopt -s extglob"),
        uses_imports="[[ aab == +(a)b ]]",
        missing="nosuchcommand",
        stdin_is_empty='[ -z "$(cat)" ]',
        child="sh -c 'echo forged >&3' || true\n( echo forged >&3 ) || true",
        hang_at_exit="trap 'sleep 600' EXIT\nsleep 600 &\n(sleep 600 &)",
        print_many='printf "%300000s" ""',
        look_around=(
            "ls -A; tr '\\0' '\\n' < /proc/self/environ; tr '\\0' '\\n' < /proc/$$/cmdline\n"
            "declare -p; declare -f; trap -p"
        ),
        compare_text=f'[ "$(printf %s {shlex.quote(TEXT)} | od -An -v -tx1 | tr -d " \\n")" = {HEX} ]',
        set_state="state=1",
        has_state="[ $state = 1 ]",
        own_frames=("eval:",),
    ),
    "julia": Samples(
        files={
            "calc.jl": "add(a, b) = a + b\n\nfunction boom()\n\n    throw(KeyError(:gone))\nend\n",
            "exits.jl": "exit(0)\n",
            "hard.jl": "ccall(:_exit, Cvoid, (Cint,), 0)\n",
        },
        load='include("calc.jl")',
        good='@assert add(1, 2) == 3\nusing Base: add_sum\nprintln("done")',
        wrong="x = 1\n@assert add(1, 2) == 4",
        boom="boom()",
        boom_place="at /workspace/calc.jl:5",
        syntax_error="x = (",
        load_exiting='include("exits.jl")',
        load_exiting_hard='include("hard.jl")',
        exit_90='print(stderr, "missing import: Test\\n"); exit(90)',
        imports=("Test", "using LinearAlgebra: norm", "import Base.Threads"),
        uses_imports="@test norm([3, 4]) == 5\n@test_throws DomainError sqrt(-1)",
        missing="NoSuchPackage",
        stdin_is_empty='@assert read(stdin, String) == ""',
        child="run(ignorestatus(`sh -c 'echo forged >&3'`))",
        hang_at_exit="atexit(() -> sleep(600))\n@async sleep(600)",
        print_many='print("x"^300_000)',
        look_around=(
            'println(readdir()); println(read("/proc/self/cmdline", String)); println(ENV)\n'
            "for m in (Main, @__MODULE__), n in names(m; all = true)\n"
            "    isdefined(m, n) && println(n, getfield(m, n))\nend"
        ),
        compare_text=f'@assert bytes2hex(codeunits({JULIA_LITERAL})) == "{HEX}"',
        set_state="state = 1",
        has_state="@assert state == 1",
        own_frames=("none:", "run_group", "include_string"),
    ),
}
_NODE = Samples(
    files={
        "calc.mjs": (
            "export function add(a, b) {\n  return a + b;\n}\n"
            "export function boom() {\n  throw new RangeError('gone');\n}\n"
        ),
        "old.cjs": "module.exports = { answer: 42 };\n",
        "exits.mjs": "process.exit(0);\n",
        "hard.mjs": "process.reallyExit(0);\n",
    },
    load='import { add, boom } from "./calc.mjs";\nimport old from "./old.cjs";',
    good=(
        'const again = await import("./calc.mjs");\n'
        'if (add(1, 2) !== 3 || again.add !== add) throw new Error("wrong");\n'
        'if (old.answer !== 42 || require("./old.cjs") !== old) throw new Error("wrong");\nconsole.log("done");'
    ),
    wrong='const x = 1;\nif (add(1, 2) !== 4) throw new Error("wrong");',
    boom="boom();",
    boom_place="/workspace/calc.mjs:5",
    syntax_error="const x = (;",
    load_exiting='import "./exits.mjs";',
    load_exiting_hard='import "./hard.mjs";',
    exit_90='process.stderr.write("missing import: fs\\n"); process.reallyExit(90);',
    imports=("node:assert/strict", "fs", 'import { sep as separator } from "node:path";'),
    uses_imports='assert.equal(separator, "/"); assert.ok(fs.existsSync("/workspace/calc.mjs"));',
    missing="nosuch-package",
    stdin_is_empty='import fs from "node:fs";\nif (fs.readFileSync(0, "utf8") !== "") throw new Error("wrong");',
    child=(
        'import { spawnSync } from "node:child_process";\n'
        'spawnSync("sh", ["-c", "echo forged >&3"]); spawnSync("sh", ["-c", "echo forged >&4"]);'
    ),
    hang_at_exit='process.on("exit", () => { for (;;); }); setTimeout(() => {}, 600_000); process.exitCode = 3;',
    print_many='process.stdout.write("x".repeat(300_000));',
    look_around=(
        'import { readFileSync, readdirSync } from "node:fs";\n'
        'console.log(readdirSync("."), readFileSync("/proc/self/cmdline", "utf8"), process.env, process.argv);\n'
        'for (const name of ["parts", "token", "tokens"]) console.log(name, globalThis[name]);'
    ),
    compare_text=f'if (Buffer.from({LITERAL}).toString("hex") !== "{HEX}") throw new Error("wrong");',
    set_state="globalThis.state = 1;",
    has_state="if (state !== 1) throw new Error('wrong');",
    own_frames=("[eval", "node:vm"),
)
SAMPLES["javascript"] = _NODE
SAMPLES["typescript"] = Samples(
    **{
        **{name: getattr(_NODE, name) for name in Samples.__dataclass_fields__},
        "files": {**_NODE.files, "typed.ts": "export interface Pair { a: number }\nexport const one: number = 1;\n"},
        "load": _NODE.load + '\nimport { Pair, one } from "./typed";\nenum Kind { A }',
        "good": _NODE.good + '\nconst p: Pair = { a: one };\nif (p.a !== 1 || Kind.A !== 0) throw new Error("wrong");',
    }
)


class Workshop:
    """A sandbox with a language's files, in which one program after another is run."""

    def __init__(self, sandbox: Sandbox, language: str) -> None:
        self.sandbox = sandbox
        self.language = language
        self.argv = argv(language, read_runners(find_images_directory())[language])
        self.uids = count(10_000)

    def send(self, stdin: bytes, wall_seconds: float = 60) -> Outcome:
        uid = next(self.uids)
        self.sandbox.reset(uid)
        return self.sandbox.run(
            Command(
                self.argv, env=self.sandbox.env, stdin=stdin, uid=uid, wall_seconds=wall_seconds, report=True,
                capture_bytes=1 << 20,
            )
        )  # fmt: skip

    def run(self, *setup: str, item: str, imports: tuple[str, ...] = (), teardown: tuple[str, ...] = ()) -> Ran:
        token = secrets.token_hex(16)
        return Ran(token, self.send(encode(token, imports=imports, setup=setup, item=item, teardown=teardown)))

    def passes(self, *setup: str, item: str, imports: tuple[str, ...] = (), teardown: tuple[str, ...] = ()) -> bool:
        return self.run(*setup, item=item, imports=imports, teardown=teardown).passed

    def share(
        self, *items: str, setup: tuple[str, ...] = (), teardown: tuple[str, ...] = ()
    ) -> tuple[list[bool], bool]:
        """Return which items passed, and whether the whole came to its end."""
        token = secrets.token_hex(16)
        programs = [Program(secrets.token_hex(16), item) for item in items]
        outcome = self.send(encode_shared(token, programs, setup=setup, teardown=teardown))
        report = outcome.report.content()
        return [completed(program.token, report) for program in programs], completed(token, report)


@dataclass(frozen=True)
class Ran:
    """What became of one program."""

    token: str
    outcome: Outcome

    @property
    def passed(self) -> bool:
        return self.outcome.exit_code == 0 and completed(self.token, self.outcome.report.content())

    @property
    def printed(self) -> str:
        return self.outcome.stdout.text() + self.outcome.stderr.text()


@pytest.fixture(scope="module")
def long_engine() -> Iterator[DockerEngine]:
    """An engine of this module's own: its sandboxes outlive a test."""
    engine = DockerEngine()
    yield engine
    engine.close()


@pytest.fixture(scope="module", params=list(SAMPLES))
def workshop(request: pytest.FixtureRequest, long_engine: DockerEngine) -> Iterator[Workshop]:
    yield from open_workshop(long_engine, request.param)


def open_workshop(engine: DockerEngine, language: str, files: Mapping[str, str] | None = None) -> Iterator[Workshop]:
    with Sandbox(engine, SandboxSpec(reference(RUNNERS[language].image))) as sandbox:
        files = SAMPLES[language].files if files is None else files
        sandbox.put([file_entry(path, text.encode()) for path, text in files.items()], uid=10_000)
        sandbox.snapshot()
        yield Workshop(sandbox, language)


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
    ("python", "import os\nos.closerange(3, 1024)", "assert True", False),
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
    outcome = workshop.send(encode(token, item=endless.get(workshop.language, "for (;;);")), wall_seconds=2)
    assert outcome.ending is Ending.TIMED_OUT
    assert not completed(token, outcome.report.content())

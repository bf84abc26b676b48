"""What items of every language do, said in each: data for the tests of the item runners."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

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

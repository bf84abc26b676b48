"""Twenty small problems in every language: each program of each kind gets the verdict that contests give it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

# What is to be printed for n, in the syntax that all languages share.
PROBLEMS = (
    "n + 1", "n * 2", "n * n", "n * n + n", "n % 7", "(n + 3) % 5", "n * 3 - 1", "n * (n + 2)", "100 - n", "n * n * n",
    "n * 10 + 4", "(n * n) % 11", "n + n * 7", "2 * n - 2", "(n + 1) * (n + 2)", "n * 5 % 13", "1000 + n", "n - n * 4",
    "n * n - n", "7 * n + 9",
)  # fmt: skip
KINDS = ("AC", "WA", "TLE", "MLE", "RTE", "CE")


class Dialect(NamedTuple):
    """How programs of a language are written.

    Attributes:
        program: A program around `{kind}` and `{value}`.
        kinds: What is done in addition, by the verdict that it leads to.
        build: What refuses a program with a syntax error.
        run: What runs a file.
    """

    program: str
    suffix: str
    kinds: dict[str, str]
    build: str
    run: str


DIALECTS = {
    "python": Dialect(
        "import sys\nn = int(input())\n{kind}\nprint({value})\n",
        "py",
        {"WA": "n += 100003", "TLE": "while True: pass", "MLE": "x = bytearray(700 << 20)", "RTE": "sys.exit(3)",
         "CE": "if ("},
        "for f in p*.py; do python3 -m py_compile $f || exit 1; done",
        "python3",
    ),
    "javascript": Dialect(
        'let n = Number(require("fs").readFileSync(0, "utf8"));\n{kind}\nconsole.log({value});\n',
        "js",
        {"WA": "n += 100003;", "TLE": "for (;;);", "MLE": "globalThis.x = Buffer.alloc(700 << 20, 1);",
         "RTE": "process.exit(3);", "CE": "if ("},
        "for f in p*.js; do node --check $f || exit 1; done",
        "node",
    ),
    "typescript": Dialect(
        'let n: number = Number(require("fs").readFileSync(0, "utf8"));\n{kind}\nconsole.log({value});\n',
        "ts",
        {"WA": "n += 100003;", "TLE": "for (;;);", "MLE": "(globalThis as any).x = Buffer.alloc(700 << 20, 1);",
         "RTE": "process.exit(3);", "CE": "if ("},
        "for f in p*.ts; do bun build --no-bundle $f > /dev/null || exit 1; done",
        "bun",
    ),
    "julia": Dialect(
        "n = parse(Int, readline())\n{kind}\nprintln({value})\n",
        "jl",
        {"WA": "n += 100003", "TLE": "while true end", "MLE": "x = fill(1, 90_000_000)", "RTE": "exit(3)",
         "CE": "if ("},
        "julia --startup-file=no -e 'for f in readdir()\nendswith(f, \".jl\") || continue\n"
        "x = Base.parse_input_line(read(f, String))\ny = Meta.isexpr(x, :toplevel) ? x.args[end] : x\n"
        "Meta.isexpr(y, [:error, :incomplete]) && exit(1)\nend'",
        "julia --startup-file=no",
    ),
    "bash": Dialect(
        "read -r n\n{kind}\necho $(({value}))\n",
        "sh",
        {"WA": "n=$((n + 100003))", "TLE": "while :; do :; done",
         "MLE": "head -c 700000000 /dev/zero | tail -c 690000000 > /dev/null", "RTE": "exit 3", "CE": "if ("},
        "for f in p*.sh; do bash -n $f || exit 1; done",
        "bash",
    ),
}  # fmt: skip


def value(problem: str, n: int) -> int:
    return int(eval(problem, {"__builtins__": {}}, {"n": n}))


def written(dialect: Dialect, problem: str, kind: str) -> str:
    return dialect.program.replace("{kind}", dialect.kinds.get(kind, "")).replace("{value}", problem)


def case(directory: Path, language: str) -> Path:
    dialect = DIALECTS[language]
    lines = ["input: Solve them.", f"language: {language}", "limits: {memory: 1g}", "assertions:"]
    for number, problem in enumerate(PROBLEMS):
        run = f"{dialect.run} p{number:02}.{dialect.suffix}".split()
        lines += [f"- {{type: io, name: p{number}, time_limit_seconds: 2, memory: 512m, run: [{', '.join(run)}],"]
        lines += ["   tests: ["]
        lines += [f'     {{stdin: "{n}\\n", stdout: "{value(problem, n)}\\n"}},' for n in (12,)]
        lines += ["   ]}"]
    directory.mkdir(parents=True)
    (directory / "case.yaml").write_text("\n".join(lines) + "\nexecution: {timeout_seconds: 1800}\n")
    return directory


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("language", DIALECTS)
def test_every_program_of_every_problem_gets_its_verdict(language: str, tmp_path: Path) -> None:
    dialect = DIALECTS[language]
    loaded = load_case(case(tmp_path / "case", language))
    kinds = {f"p{number}": KINDS[number % 5] for number in range(len(PROBLEMS))}
    for name, of in {"right": dict.fromkeys(kinds, "AC"), "mixed": kinds}.items():
        (tmp_path / name).mkdir()
        for number, problem in enumerate(PROBLEMS):
            text = written(dialect, problem, of[f"p{number}"])
            (tmp_path / name / f"p{number:02}.{dialect.suffix}").write_text(text)
    with Grader() as grader:
        tasks = [Task(loaded, read_submission(tmp_path / name)) for name in ("right", "mixed")]
        results = {result.submission: result.verdict for result in grader.grade_many(tasks, jobs=2)}
    found = {check.name: {row["verdict"] for row in check.details["tests"]} for check in results["mixed"].checks}
    assert found == {name: {kind} for name, kind in kinds.items()}
    assert results["right"].status == "passed", results["right"].reasons


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("language", DIALECTS)
def test_what_cannot_be_built_is_a_compile_error(language: str, tmp_path: Path) -> None:
    dialect = DIALECTS[language]
    place = case(tmp_path / "case", language)
    text = (place / "case.yaml").read_text()
    (place / "build.sh").write_text(dialect.build + "\n")
    text = text.replace("{type: io,", "{type: io, build: [sh, build.sh],", 1)
    lines = text.split("\n- ")
    (place / "case.yaml").write_text("\n- ".join(lines[:2]) + "\nexecution: {timeout_seconds: 1800}\n")
    for name, kind in {"right": "AC", "broken": "CE"}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / f"p00.{dialect.suffix}").write_text(written(dialect, PROBLEMS[0], kind))
        (tmp_path / name / "build.sh").write_text(dialect.build + "\n")
    with Grader() as grader:
        tasks = [
            Task(loaded, read_submission(tmp_path / name))
            for loaded in [load_case(place)]
            for name in ("right", "broken")
        ]
        found = {result.submission: result.verdict for result in grader.grade_many(tasks, jobs=2)}
    assert found["right"].status == "passed", found["right"].checks[0].reason
    assert found["broken"].status == "failed"
    assert found["broken"].checks[0].reason.startswith("CE: the build failed")

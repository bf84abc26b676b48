"""What an item costs, against a bare start of its language: processor time, median of some runs.

Both run in sandboxes of their own, by turns, as gradebox runs them: a reset before each, the processor time of the
whole sandbox while the command runs. The item runs in one process with the submission, and apart from it. The last line
is a case of 200 items of Python, from loading to the verdict.

    .venv/bin/python benchmarks/item_cost.py --json item_cost.json
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from gradebox.graders import Grader, Task, languages, load_case
from gradebox.graders.grading.apart import told_files
from gradebox.graders.grading.isolation import surroundings
from gradebox.graders.languages.item_protocol import encode
from gradebox.graders.languages.language import started
from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.plan import Plan, Role, Stage, Step, User
from gradebox.graders.submissions.source import read_submission
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import WORKSPACE, Command, SandboxSpec


class Sample(NamedTuple):
    """An item of a language, and what starts the language for nothing.

    Attributes:
        bar: What an item may cost at most, in bare starts.
    """

    bare: tuple[str, ...]
    file: str
    work: str
    setup: str
    item: str
    bar: float


SAMPLES = {
    "python": Sample(
        ("python3", "-c", "pass"),
        "solution.py",
        "def f(x):\n    return x + 1\n",
        "from solution import f",
        "assert f(1) == 2",
        0.75,
    ),
    "bash": Sample(
        ("bash", "-c", ":"), "solution.sh", "f() { echo $(($1 + 1)); }\n", ". ./solution.sh", "[[ $(f 1) == 2 ]]", 2.0
    ),
    "typescript": Sample(
        ("bun", "-e", "0"),
        "solution.ts",
        "export const f = (x: number) => x + 1;\n",
        'import { f } from "./solution.ts";',
        'if (f(1) !== 2) throw new Error("no");',
        1.5,
    ),
    "javascript": Sample(
        ("node", "-e", "0"),
        "solution.mjs",
        "export const f = (x) => x + 1;\n",
        'import { f } from "./solution.mjs";',
        'if (f(1) !== 2) throw new Error("no");',
        1.1,
    ),
    "julia": Sample(
        ("julia", "-e", "0"), "solution.jl", "f(x) = x + 1\n", 'include("solution.jl")', "@assert f(1) == 2", 1.2
    ),
}


def cpu_ms(
    sandbox: Sandbox,
    number: int,
    argv: tuple[str, ...],
    stdin: bytes = b"",
    *,
    forks: bool = False,
    apart: bool = False,
) -> float:
    """Run a command from a clean state; return its processor time in milliseconds."""
    step = Step(Role.ITEM, "item", argv, WORKSPACE, 10.0, user=User.GRADER if apart else User.SHARED, token="-")
    plan = Plan(Case(id="item", place=Place(Path("case.yaml")), directory=Path(), checks=()))
    stage = Stage(step.name, number, (), (step,))
    around = surroundings(sandbox, plan, stage, step)
    if apart:
        sandbox.reset(sandbox.candidate_uid(number), grader=around["uid"])
        sandbox.put(told_files.entries(plan, stage), protect=True, grader=around["uid"])
    else:
        sandbox.reset(around["uid"])
    outcome = sandbox.run(Command(argv, stdin=stdin, report=bool(stdin), forks=forks, **around))
    if outcome.exit_code != 0:
        raise RuntimeError(f"{argv[0]}: {outcome.ending} {outcome.stderr.text()}")
    return outcome.usage.cpu_seconds * 1000


def measured(engine: Engine, name: str, times: int) -> dict[str, float]:
    """Return the costs of a language."""
    language, sample = languages.get(name), SAMPLES[name]
    spec = SandboxSpec(reference(language.image), apart=bool(language.apart))
    bare: list[float] = []
    costs: dict[bool, list[float]] = {False: [], **({True: []} if language.apart else {})}
    with ExitStack() as stack:
        starts, *grades = (stack.enter_context(Sandbox(engine, spec)) for _ in range(1 + len(costs)))
        for each in grades:
            each.put([file_entry(sample.file, sample.work.encode())], uid=each.uid(0))
            each.snapshot()
        for number in range(times + 1):
            stdin = encode(secrets.token_hex(16), setup=[sample.setup], item=sample.item, composed=language.composed)
            bare.append(cpu_ms(starts, number, sample.bare))
            # A sandbox has one process that forks, which is another one for each way.
            for sandbox, apart in zip(grades, costs, strict=True):
                argv = started(language.argv(apart=apart), sandbox.image.labels)
                costs[apart].append(cpu_ms(sandbox, number, argv, stdin, forks=language.forks, apart=apart))
    # The first loads what all others find loaded.
    found = {"bare_ms": median(bare[1:]), "bar": sample.bar}
    found |= {("apart_ms" if apart else "item_ms"): median(each[1:]) for apart, each in costs.items()}
    return {**found, "ratio": found["item_ms"] / found["bare_ms"]}


def many_items(count: int) -> float:
    """Return how many seconds a case of so many items of Python takes."""
    sample = SAMPLES["python"]
    case = {
        "input": "Add one.",
        "language": "python",
        "unit_tests_setup": sample.setup,
        "unit_tests": [sample.item] * count,
    }
    with tempfile.TemporaryDirectory() as name, Grader() as grader:
        (Path(name) / "case").mkdir()
        (Path(name) / "work").mkdir()
        (Path(name) / "case" / "case.yaml").write_text(json.dumps(case))
        (Path(name) / "work" / sample.file).write_text(sample.work)
        begun = time.monotonic()
        (result,) = grader.grade_many([Task(load_case(Path(name) / "case"), read_submission(Path(name) / "work"))])
        seconds = time.monotonic() - begun
    if result.verdict.score != 1.0:
        raise RuntimeError(f"The items of the case did not pass: {result.verdict.status}.")
    return seconds


def main() -> int:
    """Print a line for each language; end with 1 where one costs more than it may."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("languages", nargs="*", default=list(SAMPLES))
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    engine = connect()
    found: dict[str, dict[str, float]] = {}
    for name in wanted.languages:
        found[name] = costs = measured(engine, name, wanted.times)
        print(
            f"{name:12} bare {costs['bare_ms']:7.1f} ms   item {costs['item_ms']:7.1f} ms   "
            f"{costs['ratio']:5.2f} times (bar {costs['bar']})"
            + (f"   apart {costs['apart_ms']:7.1f} ms" if "apart_ms" in costs else ""),
            flush=True,
        )
    found["case"] = {"items": 200, "seconds": many_items(200), "bar": 2.5}
    print(f"200 items of Python: {found['case']['seconds']:.2f} s (bar 2.5)")
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0 if all(costs.get("ratio", costs.get("seconds", 0)) <= costs["bar"] for costs in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

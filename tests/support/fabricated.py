"""Runs that never were, written as real ones are: for reports of any size, with anything in them, without an engine."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.model.result import Result
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict import CheckResult, Status, StepRecord, Verdict, decide
from gradebox.graders.model.verdict_document import document
from gradebox.graders.runs.saved_run import SavedRun, read_run
from gradebox.graders.runs.store import Store
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Capture, Ending, MemoryState, Outcome, ResourceUsage

STARTED = datetime(2026, 1, 31, 14, 25, tzinfo=UTC)
ASKED: Mapping[str, Any] = {
    "cases": ["/srv/bench/suite.eval.yaml"],
    "submissions": ["/srv/candidates/model-a", "/srv/candidates/model b"],
    "reference": False,
    "answers": None,
    "targets": None,
    "repeat": 1,
    "profile": "default",
    "runtime": None,
}
HOSTILE = (
    b"</pre></code><script>document.title='owned'</script><img src=x onerror=document.title='owned'>\n"
    b"]]> --> </script> </template> </noscript></style></textarea></title><!-- <svg onload=document.title='owned'>\n"
    b"\x1b[1;31mbold red\x1b[0m \x1b[38;5;46mgreen of 256\x1b[0m \x1b[48;2;10;20;200mblue ground\x1b[0m\n"
    b"\x1b]0;a title\x07\x1b]8;;http://example.invalid/\x1b\\a link\x1b]8;;\x1b\\ \x1b[2J\x1b[H\x9b31m\n"
    b"access\xe2\x80\xae\xe2\x81\xa6// check\xe2\x81\xa9 \xe2\x81\xa6 \xef\xbb\xbf\xe2\x80\x8b "
    b"\x00\x00\x00\x08\x7f \xff\xfe\xc3\n"
    b"&lt;script&gt; &amp;amp; \" ' ` ${x} {{x}}\n"
)


def capture(data: bytes, total: int | None = None) -> Capture:
    """Return what is kept of an output: all of it, or the first and the last half of what is given."""
    if total is None:
        return Capture(data, total_bytes=len(data))
    return Capture(data[: len(data) // 2], data[len(data) // 2 :], total)


def step(
    name: str,
    reason: str = "",
    *,
    role: str = "check",
    argv: tuple[str, ...] = ("bun", "test"),
    stdout: Capture = Capture(),
    stderr: Capture = Capture(),
    seconds: float = 0.3,
    ending: Ending = Ending.EXITED,
    peak: int = 40 * MIB,
) -> StepRecord:
    code = (1 if reason else 0) if ending is Ending.EXITED else None
    usage = ResourceUsage(seconds, seconds / 2, seconds / 8, peak, killed_processes=int(ending is Ending.TIMED_OUT))
    return StepRecord(role, name, argv, Outcome(ending, code, None, stdout, stderr, usage=usage), not reason, reason)


def check(name: str, score: float | None, reason: str = "", *steps: StepRecord, **changes: Any) -> CheckResult:
    status = Status.ERROR if score is None else Status.PASSED if score >= 0.8 else Status.FAILED
    found = CheckResult(
        name=name, type="code-grader", status=status, score=score, wanted=0.8, reason=reason, steps=steps
    )
    return replace(found, **changes)


def graded(case: str, *checks: CheckResult, faults: tuple[str, ...] = (), **changes: Any) -> Result:
    given: dict[str, Any] = {
        "submission": "model-a",
        "started": STARTED,
        "image": "gradebox/bun",
        "image_id": "sha256:0146e70ec44dea8ff67185cc0a3a3b3227b8dd5e4f8483ed90c69b996cea4e82",
        "profile": "default",
        "wall_seconds": 3.2,
        "memory": MemoryState(5 * MIB, 120 * MIB, 0, 1),
        "memory_limit_bytes": 512 * MIB,
    }
    return Result(id="0123", case=case, verdict=decide(checks, threshold=0.8, faults=faults), **(given | changes))


def answered(
    case: str,
    model: str | None,
    *,
    parsed: bool = True,
    tests: str = "11",
    examples: str = "11",
    fault: str = "",
    submission: str = "model-a",
) -> Result:
    """Return the result of an answer to a ``definition.toml``; of its items, ``1`` passed and ``0`` did not."""
    kinds = {
        "parsed": str(int(parsed)),
        "executed": str(int(parsed)),
        "passed-unit-tests": tests,
        "executed-examples": examples,
    }
    checks = []
    for kind, marks in kinds.items():
        steps = [step(f"{kind} {number}", "" if mark == "1" else "no") for number, mark in enumerate(marks, 1)]
        score = None if fault else marks.count("1") / len(marks)
        checks.append(check(kind.replace("-", "_"), score, fault, *steps, type=kind))
    origin = {} if model is None else {"model": model, "prompt_label": "AsIs"}
    return graded(case, *checks, origin=origin, submission=submission)


def write(root: Path, verdicts: Iterable[Result], asked: Mapping[str, Any] = ASKED) -> SavedRun:
    """Write a run below `root` and read it again."""
    store = Store.create(root, asked)
    for number, one in enumerate(verdicts, 1):
        store.add(replace(one, number=one.number or number))
    store.close()
    return read_run(store.directory)


def scored(name: str, *rows: tuple[str, str, str, float | None]) -> SavedRun:
    """Return a run of verdicts with one check each: case, submission, status and score."""
    verdicts = {}
    for case, submission, status, score in rows:
        one = CheckResult("check", "code-grader", Status(status), score, 0.8)
        verdict = Verdict(Status(status), score, score, None, 0.8, (one,))
        made = document(Result("0", case, submission, verdict, STARTED))
        verdicts[key_of(made)] = made
    return SavedRun(Path(name), {}, verdicts)


def with_repeats(name: str, *scores: float) -> SavedRun:
    """Return a run of one submission that was graded repeatedly, with these scores."""
    (verdict,) = scored(name, ("a", "x", "passed", 1.0)).verdicts.values()
    made = [
        verdict.model_copy(update={"repeat": repeat, "score": score, "verdict": "passed" if score > 0.8 else "failed"})
        for repeat, score in enumerate(scores, 1)
    ]
    return SavedRun(Path(name), {}, {key_of(one): one for one in made})


def hostile() -> Result:
    """Return a verdict in which everything that a candidate or an author writes is an attack on the page."""
    flood = HOSTILE * (260 * 1024 // len(HOSTILE))
    name = '"><script>document.title="owned"</script>\u202e'
    bent = Tampering(
        TamperingKind.TOKEN_MISSING, f"it printed {name}", HOSTILE.decode("utf-8", "replace"), check="tests"
    )
    return graded(
        f"case{name}",
        check(
            f"check{name}",
            0.0,
            HOSTILE.decode("utf-8", "replace"),
            step(
                "tests",
                "exit status 1",
                argv=("sh", "-c", name),
                stdout=capture(flood, 5 * MIB),
                stderr=capture(HOSTILE),
            ),
            details={"assertions": [{"text": name, "passed": False}], name: HOSTILE.decode("utf-8", "replace")},
            required=True,
            tampering=(bent,),
        ),
        submission=f"../{name}",
        target=name,
        tags=(name, "a tag"),
        category=name,
        restored=(name,),
        removed=(name,),
        removed_count=1,
        left_out=(name,),
        changes=f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-{name}\n+\x1b[31m{name}\n",
    )


_WORDS = (
    "parser",
    "auth",
    "ledger",
    "matrix",
    "queue",
    "session",
    "router",
    "cache",
    "diff",
    "search",
    "locale",
    "date",
)
_VERBS = ("fix", "add", "refactor", "speed-up", "migrate", "test", "document", "harden")
_TAGS = ("python", "typescript", "julia", "web", "security", "debugging", "performance", "numerics", "concurrency")
_DIFF = (
    "--- a/src/parser.ts\n+++ b/src/parser.ts\n@@ -14,7 +14,9 @@ export function parse(query: string): Node {\n"
    "   const parser = new Parser(tokenize(query));\n-  return parser.either();\n+  const node = parser.either();\n"
    "+  parser.end();\n+  return node;\n }\n"
)
_LOG = (
    b"\x1b[1mbun test\x1b[0m v1.1.8\n\ntests/parser.test.ts:\n"
    b"\x1b[32m\xe2\x9c\x93\x1b[0m parses words \x1b[2m[0.4ms]\x1b[0m\n"
    b"\x1b[32m\xe2\x9c\x93\x1b[0m parses quotes \x1b[2m[0.1ms]\x1b[0m\n"
    b"\x1b[31m\xe2\x9c\x97\x1b[0m reports the end of input\n"
    b"\n  \x1b[31mTypeError\x1b[0m: null is not an object (evaluating 'this.peek().type')\n"
    b"      at either (/workspace/src/parser.ts:28:12)\n\n 2 pass\n \x1b[31m1 fail\x1b[0m\n"
)


def many(count: int, seed: int = 7) -> Iterator[Result]:
    """Yield verdicts as a benchmark of some models has them."""
    chance = random.Random(seed)
    for number in range(count):
        case = f"{_VERBS[number % 8]}-{_WORDS[number // 8 % 12]}-{number // 96 // 4 + 1:02d}"
        target = ("model-a", "model-b", "model-c", "model-d")[number % 4]
        skill = 0.85 - 0.13 * (number % 4) - 0.03 * (number // 8 % 12)
        seconds = round(chance.lognormvariate(1.2, 0.8), 3)
        shared: dict[str, Any] = {
            "submission": f"{target}-{number % 97:02d}",
            "target": target,
            "category": ("bug", "feature", "refactoring")[number % 3],
            "tags": tuple(chance.sample(_TAGS, 2)),
            "started": STARTED + timedelta(seconds=number * 0.9),
            "wall_seconds": seconds,
            "changes": _DIFF * (1 + number % 3),
            "memory": MemoryState(5 * MIB, chance.randrange(30, 500) * MIB, 0, 1),
        }
        if chance.random() < 0.015:
            yield graded(case, faults=("the sandbox was lost: the engine does not answer",), **shared)
            continue
        wrong = chance.random() > skill
        slow = wrong and chance.random() < 0.2
        ending = Ending.TIMED_OUT if slow else Ending.EXITED
        reason = ("no end within 30 s" if slow else "exit status 1") if wrong else ""
        log = capture(_LOG * 3 if wrong else _LOG[:180])
        share = round(chance.uniform(0.2, 1), 2) if wrong else 1.0
        yield graded(
            case,
            check("existing-tests", 1.0, "", step("existing-tests", stderr=log), required=True),
            check(
                "unit-tests", share, "" if share == 1 else f"{share:.0%} of 12 passed", step("unit-tests", stdout=log)
            ),
            check(
                "end-of-input",
                float(not wrong),
                reason,
                step("end-of-input", reason, stdout=log, ending=ending, seconds=30 if slow else seconds / 3),
                weight=2.0,
                required=True,
            ),
            **shared,
        )

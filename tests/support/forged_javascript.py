"""Cases of JavaScript and TypeScript that are judged apart, with submissions that pass them and others that do not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from gradebox.graders import Grader, Task, load_case
from gradebox.graders.model.verdict import CheckResult
from gradebox.graders.submissions.source import read_submission

NODE = ("javascript", "node --test grading/a.test.mjs")
BUN = ("typescript", "bun test ./grading/a.test.mjs")
NODE_HEAD = 'import test from "node:test"; import assert from "node:assert/strict";\n'
LINK = "link to "
BUN_HEAD = 'import { expect, test } from "bun:test";\n'


@dataclass(frozen=True)
class Forged:
    """A file of tests, what its reference is, and what else passes it or does not.

    Attributes:
        runs: The language, and the command.
        tests: The text of the file of tests.
        reference: The text of `s.mjs`, "" for a case without one.
        honest: Other texts of `s.mjs` that pass.
        dishonest: Texts of `s.mjs` that do not, by what they do.
        others: Files of a submission beside `s.mjs`, which do not pass either, each with `dishonest`'s first text. That
            of a link begins with `LINK`.
        grading: What else lies below `grading/`.
        isolation: How the case is judged.
        image: The image in which, "" for the language's.
        own: Files of each submission beside the others.
    """

    runs: tuple[str, str]
    tests: str
    reference: str
    honest: tuple[str, ...]
    dishonest: dict[str, str]
    others: dict[str, dict[str, str]] = field(default_factory=dict)
    grading: dict[str, str] = field(default_factory=dict)
    isolation: str = "apart"
    image: str = ""
    own: dict[str, str] = field(default_factory=dict)


def _put(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if text.startswith(LINK):
            file.symlink_to(text.removeprefix(LINK))
        else:
            file.write_text(text)
    return directory


def unexpected(forged: Forged, base: Path) -> dict[str, tuple[CheckResult, ...]]:
    """Grade all submissions of a case, and return the checks of those that do not pass or fail as they should."""
    language, command = forged.runs
    checks = [{"type": "code-grader", "command": command}]
    case = {"input": "x", "language": language, "isolation": forged.isolation, "assertions": checks}
    case |= {"image": forged.image} if forged.image else {}
    files = {"case.yaml": json.dumps(case), "workspace/README": "x", "grading/a.test.mjs": forged.tests}
    files |= {f"grading/{name}": text for name, text in forged.grading.items()}
    if forged.reference:
        files["reference/s.mjs"] = forged.reference
    _put(base / "case", files)
    given = {f"honest {i}": {"s.mjs": text} for i, text in enumerate(forged.honest)}
    given |= {what: {"s.mjs": text} for what, text in forged.dishonest.items()}
    wrong = next(iter(forged.dishonest.values()), "")
    given |= {what: {"s.mjs": wrong, **added} for what, added in forged.others.items()}
    with Grader() as grader:
        case_read = load_case(base / "case")
        tasks = [
            Task(case_read, read_submission(_put(base / "of" / what, {**forged.own, **each})))
            for what, each in given.items()
        ]
        results = dict(zip(given, grader.grade_many(tasks, jobs=2), strict=True))
    expected = {what: "passed" if what.startswith("honest ") else "failed" for what in given}
    return {what: each.verdict.checks for what, each in results.items() if each.verdict.status != expected[what]}

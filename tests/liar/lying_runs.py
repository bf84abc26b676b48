"""Test files through real runners: once with the honest solution, then against a liar.

`honest` says that a file is fair: its solution passes. It also yields the transcript that the liar learns from, the
contract, and what the oracle notes when nothing lies. `lied` runs the same tests against a liar; no test may pass, no
number may leave, and the oracle may see nothing new.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import oracle
from apart_bench import lay
from graders_started import START, Started, Starting
from honest_memory import HonestMemory
from liar import Liar
from lying_bench import Lying, Player, Tapped, Transcript
from tested_files import TestedFile

# How the answers before the first test are named.
_FIRST = "before the first test"
_WORKSPACE = "/the/workspace"
Contract = dict[str, list[str]]
Program = Callable[[str], str]
"""Changes the text of a grader's program before it runs: a weakened one."""


@dataclass(slots=True)
class Ran:
    """What came of a test file or its items.

    Attributes:
        passed: How many tests passed, or how many items.
        failed: How many did not.
        printed: What was printed.
        notes: The oracle's.
        contract: What a run that records has found.
        observed: What tests that pass whatever comes have seen, by test.
        others: The tests that are reported to have passed with other answers.
    """

    passed: int = 0
    failed: int = 0
    printed: str = ""
    notes: frozenset[str] = frozenset()
    contract: dict[str, set[str]] = field(default_factory=dict)
    observed: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Honest:
    """What a run with the honest solution showed."""

    ran: Ran
    transcripts: list[Transcript]

    @property
    def contract(self) -> Contract | None:
        return {path: sorted(words) for path, words in self.ran.contract.items()} or None

    @property
    def memory(self) -> HonestMemory:
        """What a liar learns of it."""
        return HonestMemory(self.transcripts)


@dataclass(slots=True)
class Lied:
    """What a run against a liar showed."""

    ran: Ran
    findings: list[str] = field(default_factory=list)
    messages: int = 0


def honest(file: TestedFile, program: Program = str) -> Honest:
    """Run a file with its own solution, and write down what both processes said."""
    tapped = Tapped()
    return Honest(_run(file, tapped, program, record=True), tapped.transcripts)


def lied(
    file: TestedFile, known: Honest, liar: Liar, program: Program = str, *, contract: bool = True, exact: bool = False
) -> Lied:
    """Run a file against a liar; `exact` is `contract: exact`."""
    lying = Lying(liar, file.secrets)
    told = known.contract if contract or file.needs_contract else None
    ran = _run(file, lying, program, contract=told, linked=True, exact=exact)
    found = [f"leaked: {text}" for text in lying.leaked] + [f"caught: {text}" for text in lying.caught]
    found += [f"oracle: {note}" for note in oracle.findings(known.ran.notes, ran.notes)]
    # A file of `node --test` may fail as a whole.
    is_failed = file.needs_contract and file.runner == "node:test" and ran.failed
    if ran.passed > len(ran.observed) and not is_failed:
        found.append(f"{ran.passed} tests passed: {ran.printed[-3000:]}")
    # What the tests have not seen of other answers, they have not passed by.
    named = () if exact else ran.others
    found += [
        f"{test} passed with other answers than {known.ran.observed[test]}: {seen}"
        for test, seen in ran.observed.items()
        if seen != known.ran.observed[test] and not any(name.endswith((f"::{test}", _FIRST)) for name in named)
    ]
    return Lied(ran, found, lying.messages)


def _run(
    file: TestedFile,
    player: Player,
    program: Program,
    *,
    record: bool = False,
    contract: Contract | None = None,
    linked: bool = False,
    exact: bool = False,
) -> Ran:
    total = Ran()
    with tempfile.TemporaryDirectory(prefix="gradebox-liar-") as name:
        place = Path(name)
        place.chmod(0o755)
        directory = place / "workspace"
        directory.mkdir()
        if linked:
            _link(directory, file.solution)
        else:
            lay(directory, file.solution, submitted=True)
        tests = {} if file.runner == "items" else file.tests
        lay(directory, tests, submitted=False)
        for hidden in tests:
            # From the candidate's user.
            (directory / hidden).chmod(0o600)
        told = _told(directory, tests, contract, record=record, exact=exact)
        files = [path for path in tests if not path.endswith(".txt")]
        starting = Starting(file.runner, files, directory, told, player, program, file.language == "julia")
        if file.runner == "items":
            for item in file.tests.values():
                _add(total, file.runner, START[file.language](starting, item))
        else:
            _add(total, file.runner, START[file.language](starting, ""))
        # Each run has another directory.
        total.contract = json.loads(json.dumps(total.contract, default=sorted).replace(str(directory), _WORKSPACE))
    return total


def _link(directory: Path, solution: Mapping[str, str]) -> None:
    """Make links of a submission to files of root's that would pass: only the candidate's process follows them."""
    real = directory.parent / "reference"
    lay(real, solution, submitted=False)
    for name in solution:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(real / name)


def _told(directory: Path, tests: Mapping[str, str], contract: Contract | None, **words: bool) -> Path:
    """Write what the host delivers (graders/grading/apart/told_files.py)."""
    files = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in tests.items()}
    told = directory / ".gradebox" / "apart.json"
    told.parent.mkdir()
    text = json.dumps(contract).replace(_WORKSPACE, str(directory))
    told.write_text(json.dumps({"files": files, "contract": json.loads(text), **words}))
    return told


def _add(total: Ran, runner: str, started: Started) -> None:
    """Add what a grader's process reported."""
    lines, token = started.report.split("\n"), started.token
    for line in lines:
        if line.startswith(f"{token} contract "):
            for path, words in json.loads(line.split(" ", 2)[2]).items():
                total.contract.setdefault(path, set()).update(words)
        elif line.startswith(f"{token} answers "):
            total.others += json.loads(line.split(" ", 2)[2])["tests"]
    if runner == "items":
        passed = int(started.status == 0 and token in lines)
        failed = 1 - passed
    else:
        counts = [re.fullmatch(rf"{token} done (\d+) (\d+)", line) for line in lines]
        ran = [(int(found[1]), int(found[2])) for found in counts if found]
        passed, failed = (max(0, ran[0][0] - ran[0][1]), ran[0][1]) if len(ran) == 1 else (0, 1)
        failed += bool(started.status) and not failed
    total.passed += passed
    total.failed += failed
    total.printed += started.printed
    passing = re.findall(r"^PASSED \S+::(\w+)$", started.printed, re.MULTILINE)
    seen = dict(re.findall(r"^observed (\w+) (.*)$", started.printed, re.MULTILINE))
    total.observed |= {test: seen[test] for test in passing if test in seen}
    total.notes |= started.notes

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
    """

    passed: int = 0
    failed: int = 0
    printed: str = ""
    notes: frozenset[str] = frozenset()
    contract: dict[str, set[str]] = field(default_factory=dict)


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


def lied(file: TestedFile, known: Honest, liar: Liar, program: Program = str, *, contract: bool = True) -> Lied:
    """Run a file against a liar."""
    lying = Lying(liar, file.secrets)
    ran = _run(file, lying, program, contract=known.contract if contract else None, linked=True)
    found = [f"leaked: {text}" for text in lying.leaked] + [f"caught: {text}" for text in lying.caught]
    found += [f"oracle: {note}" for note in oracle.findings(known.ran.notes, ran.notes)]
    if ran.passed:
        found.append(f"{ran.passed} tests passed: {ran.printed[-3000:]}")
    return Lied(ran, found, lying.messages)


def _run(
    file: TestedFile,
    player: Player,
    program: Program,
    *,
    record: bool = False,
    contract: Contract | None = None,
    linked: bool = False,
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
        told = _told(directory, tests, contract, record=record)
        starting = Starting(file.runner, [*tests], directory, told, player, program, file.language == "julia")
        if file.runner == "items":
            for item in file.tests.values():
                _add(total, file.runner, START[file.language](starting, item))
        else:
            _add(total, file.runner, START[file.language](starting, ""))
    return total


def _link(directory: Path, solution: Mapping[str, str]) -> None:
    """Make links of a submission to files of root's that would pass: only the candidate's process follows them."""
    real = directory.parent / "reference"
    lay(real, solution, submitted=False)
    for name in solution:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(real / name)


def _told(directory: Path, tests: Mapping[str, str], contract: Contract | None, *, record: bool) -> Path:
    """Write what the host delivers (graders/grading/apart/told_files.py)."""
    files = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in tests.items()}
    told = directory / ".gradebox" / "apart.json"
    told.parent.mkdir()
    told.write_text(json.dumps({"files": files, "contract": contract, "record": record}))
    return told


def _add(total: Ran, runner: str, started: Started) -> None:
    """Add what a grader's process reported."""
    lines, token = started.report.split("\n"), started.token
    for line in lines:
        if line.startswith(f"{token} contract "):
            for path, words in json.loads(line.split(" ", 2)[2]).items():
                total.contract.setdefault(path, set()).update(words)
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
    total.notes |= started.notes

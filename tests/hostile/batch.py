"""Grades many attacks on one base with one run of ``grade``, and gathers what there is to judge it by.

    <directory>/
        <base>/                  the base, with its canaries
        submissions/<attack>/    what each attack hands in
        submissions/neighbour/   the base's reference, graded in the middle of them
        runs/<run>/              the run directory

Nothing here judges, and nothing here runs what an attack brings: that is the sandbox's.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import BASES, WHOLE, Attack
from here_container import ACCEPTED, words

from gradebox.graders.grading.image_choice import image_of
from gradebox.graders.grading.task import load_case
from gradebox.graders.runs.evidence_log import Owner, SavedEvidence
from gradebox.graders.runs.kept.evidence_files import OUTCOMES

GRADE = Path(sys.executable).with_name("grade")
NEIGHBOUR = "neighbour"
JOBS = 2
# A batch that is not over then hangs; the slowest takes a small part of it.
DEADLINE_SECONDS = 1200.0
_TOKEN = b"@canary@"


@dataclass(frozen=True, slots=True)
class Result:
    """What one submission got: the verdict's document and everything that was printed."""

    document: dict[str, Any]
    printed: dict[str, str]


@dataclass(frozen=True, slots=True)
class Batch:
    """What one run of ``grade`` left."""

    case: Path
    pid: int
    code: int
    stderr: str
    peak_bytes: int
    processes_left: tuple[int, ...]
    canaries: dict[str, str]
    graded: dict[str, Result]


def run_batch(base: str, attacks: Sequence[Attack], directory: Path, runtime: str | None) -> Batch:
    """Stage a base and its attacks, grade them, and return what came."""
    canaries = {name: secrets.token_hex(16) for name in ("case", "grading", "reference", "neighbour", "environment")}
    case = directory / base
    _copy(BASES / base, case, canaries)
    submissions = directory / "submissions"
    submissions.mkdir()
    handed_in = [hand_in(attack, submissions) for attack in attacks]
    names = [attack.name for attack in attacks]
    _copy(honest_of(base), submissions / NEIGHBOUR, dict.fromkeys(canaries, canaries[NEIGHBOUR]))
    handed_in.insert(len(names) // 2, submissions / NEIGHBOUR)
    names.insert(len(names) // 2, NEIGHBOUR)

    arguments = ["--case", str(case), "--json", "--quiet", "--jobs", str(JOBS), "--runs", str(directory / "runs")]
    for path in handed_in:
        arguments += ["--submission", str(path)]
    start = [str(GRADE)]
    environment = {"COLUMNS": "120", "NO_COLOR": "1", "GRADEBOX_CANARY": canaries["environment"]}
    if runtime in ACCEPTED:
        directory.chmod(0o700)
        arguments += ["--host", "here", "--accept-weaker", ACCEPTED[runtime]]
        start = [*words(runtime, image_of(load_case(case)), directory, environment), *start]
    elif runtime:
        arguments += ["--runtime", runtime]
    pid, code, peak_bytes = _grade([*start, *arguments], directory, environment)
    lines = (directory / "stdout").read_text("utf-8").splitlines()
    assert len(lines) == len(names), (directory / "stderr").read_text("utf-8", "replace")
    return Batch(
        case=case,
        pid=pid,
        code=code,
        stderr=(directory / "stderr").read_text("utf-8", "replace"),
        peak_bytes=peak_bytes,
        processes_left=tuple(_session(pid)),
        canaries=canaries,
        graded={
            name: Result(document, dict(_printed(directory / "runs", document)))
            for name, document in zip(names, map(json.loads, lines), strict=True)
        },
    )


def honest_of(base: str) -> Path:
    """Return the right solution of a base: its reference, or `neighbour` of one that is graded without a reference."""
    reference = BASES / base / "reference"
    return reference if reference.is_dir() else BASES / base / NEIGHBOUR


def _copy(source: Path, target: Path, canaries: dict[str, str]) -> None:
    """Copy a tree, with a secret in place of every token."""
    for path in sorted(source.rglob("*")):
        relative = path.relative_to(source)
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            place.mkdir(exist_ok=True)
            continue
        secret = canaries.get("case" if relative.name == "case.yaml" else relative.parts[0], canaries["neighbour"])
        place.write_bytes(path.read_bytes().replace(_TOKEN, secret.encode()))
        place.chmod(path.stat().st_mode & 0o777)


def hand_in(attack: Attack, submissions: Path) -> Path:
    """Write an attack's submission and return the path that is handed in."""
    directory = submissions / attack.name
    directory.mkdir()
    if attack.maker is not None:
        return attack.maker(directory) or directory
    program = attack.program
    assert program is not None
    if program.is_dir():
        shutil.copytree(program, directory, symlinks=True, dirs_exist_ok=True)
        return directory
    if attack.laid_as is None and program.suffix in WHOLE:
        return Path(shutil.copy(program, directory))
    place = directory / (attack.laid_as or f"attack{program.suffix}")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, place)
    return directory


def _grade(words: list[str], directory: Path, environment: Mapping[str, str]) -> tuple[int, int, int]:
    """Run ``grade`` in a session of its own; return its process id, exit code and peak memory in bytes."""
    with (directory / "stdout").open("wb") as stdout, (directory / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            words,
            cwd=directory,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
    deadline, peak_bytes = time.monotonic() + DEADLINE_SECONDS, 0
    while True:
        # Its own memory, as long as it runs: what the kernel tells at the end counts an engine that it has started.
        peak_bytes = max(peak_bytes, _peak_bytes(process.pid))
        if process.poll() is not None:
            return process.pid, process.returncode, peak_bytes
        if time.monotonic() > deadline:
            process.kill()
            process.wait()
            raise AssertionError(f"grade was still running after {DEADLINE_SECONDS:g} s: an attack made it hang")
        time.sleep(0.05)


def _peak_bytes(pid: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{pid}/status").read_text("ascii", "replace").splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024
    return 0


def _session(session: int) -> Iterator[int]:
    """Yield the processes of a session that are alive."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            yield int(process.name)


def _printed(runs: Path, document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and contents of all files of evidence; the names of attacks are file names as they are."""
    (run,) = runs.glob("[!.]*")
    evidence = SavedEvidence(run)
    owner = Owner(Path("evidence", document["case"], document["submission"]), document["id"])
    for file in evidence.files(owner, lambda name: 0 if name == OUTCOMES else 1 << 30):
        yield file.name, file.head.decode("utf-8", "replace")

"""Fuzzing that anybody can repeat: ``python tests/fuzz/run.py --seconds 60 [TARGET...]``, or ``make fuzz``.

All targets run at once, a process each, for the same time. Exit code 1 if one of them failed: the input is then kept in
a file that is named, and ``--repeat FILE TARGET`` tries it again. Exit code 2 if a target is unknown, or cannot run
here and was asked for by name.
"""

from __future__ import annotations

import argparse
import hashlib
import mmap
import multiprocessing
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parents[1])]

from fuzzing import INPUT_SECONDS, MAX_BYTES, Failure, Result, Target, Unavailable, fuzz, tried  # noqa: E402
from targets import TARGETS  # noqa: E402

FAILED = Path("fuzz-failures")
# How much longer than its time a process may take: for its imports, and for its last input on a busy machine.
GRACE_SECONDS = 60.0


def main(arguments: list[str], targets: Mapping[str, Target] = TARGETS) -> int:
    """Run targets and print what came of them; return the exit code."""
    names = list(targets)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"all without one: {', '.join(names)}")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the mutations; another one each time without it")
    parser.add_argument("--repeat", type=Path, metavar="FILE", help="try only this input")
    options = parser.parse_args(arguments)
    asked: list[str] = options.targets
    unknown = [name for name in asked if name not in names]
    if unknown or (options.repeat and len(asked) != 1):
        print(f"There is no target {', '.join(unknown)}." if unknown else "--repeat needs one target.", file=sys.stderr)
        return 2
    if options.repeat:
        return repeat(asked[0], options.repeat.read_bytes(), targets)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}, {options.seconds:g} s", flush=True)
    return run_all(asked or names, seed, options.seconds, targets, must_run=bool(asked))


def run_all(names: list[str], seed: int, seconds: float, targets: Mapping[str, Target], *, must_run: bool) -> int:
    """Run targets side by side."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    # Of all targets, so that nothing is left of one that is killed.
    scratch = tempfile.mkdtemp(prefix="gradebox-fuzz-", dir=memory)
    tempfile.tempdir = scratch
    try:
        return _run_all(names, seed, seconds, targets, must_run=must_run)
    finally:
        tempfile.tempdir = None
        remove(Path(scratch))


def remove(scratch: Path) -> None:
    """Remove a directory in which a program of a target may write until it has seen that its target is gone."""
    for _ in range(50):
        # It may be nested deeper than shutil.rmtree can follow, which calls itself for each level.
        subprocess.run(["rm", "-rf", "--", scratch], stderr=subprocess.DEVNULL, check=False)
        if not scratch.exists():
            return
        time.sleep(0.1)
    print(f"{scratch} could not be removed.", flush=True)


def _run_all(names: list[str], seed: int, seconds: float, targets: Mapping[str, Target], *, must_run: bool) -> int:
    ready, code = [], 0
    for name in names:
        try:
            targets[name].prepare()
            ready.append(name)
        except Unavailable as reason:
            print(f"{name:12} skipped: {reason}", flush=True)
            code = 2 if must_run else 0
    spawner = multiprocessing.get_context("fork")
    running = []
    for name in ready:
        ours, theirs = spawner.Pipe(duplex=False)
        # What a process tries is in memory that outlives it.
        shown = mmap.mmap(-1, MAX_BYTES + 8)
        process = spawner.Process(target=work, args=(theirs, shown, name, seed, seconds, targets), daemon=True)
        process.start()
        theirs.close()
        running.append((name, process, ours, shown))
    ends = time.monotonic() + seconds + GRACE_SECONDS
    for name, process, answers, shown in running:
        result: Result | None = None
        with suppress(EOFError):
            if answers.poll(max(0.0, ends - time.monotonic())):
                result = answers.recv()
        # One that has answered, or has broken off, is about to end.
        process.join(timeout=10 if result is not None else 1)
        if process.is_alive():
            process.kill()
            process.join()
        if result is None:
            size = int.from_bytes(shown[:8], "big")
            report = f"The process gave no answer (exit code {process.exitcode})."
            result = Result(0, 0, Failure(bytes(shown[8 : 8 + size]), report))
        code = max(code, tell(name, seed, result))
    return code


def tell(name: str, seed: int, result: Result) -> int:
    """Print what came of a target; return its exit code."""
    failure = result.failure
    print(f"{name:12} {result.inputs} inputs, {result.kept} kept{', FAILED' if failure else ''}", flush=True)
    if failure is None:
        return 0
    FAILED.mkdir(exist_ok=True)
    file = FAILED / f"{name}-{hashlib.sha256(failure.data).hexdigest()[:12]}"
    file.write_bytes(failure.data)
    print(failure.report.rstrip())
    print(f"The input is in {file}, found with seed {seed}.")
    print(f"Again: python tests/fuzz/run.py --repeat {file} {name}", flush=True)
    return 1


def work(
    answers: Connection, shown: mmap.mmap, name: str, seed: int, seconds: float, targets: Mapping[str, Target]
) -> None:
    """Run one target in a process of its own."""
    # Findings are what is sent back; a subject that prints must not end it.
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 1)

    def trying(data: bytes) -> None:
        shown[: 8 + len(data)] = len(data).to_bytes(8, "big") + data

    # A seed of its own for each, so that two targets of one kind do not try the same.
    own_seed = int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "big")
    answers.send(fuzz(targets[name], own_seed, seconds, trying))


def repeat(name: str, data: bytes, targets: Mapping[str, Target]) -> int:
    """Try one input again."""
    saw, failure = tried(targets[name], data)
    print(f"fails:\n{failure.report}" if failure else f"fine within {INPUT_SECONDS:g} s: {saw}")
    return 1 if failure else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Lets a liar talk to the grader's process of a language for a while: at its checkpoint, or through its test runners.

    python tests/liar/lies.py gate LANGUAGE SECONDS [SEED]      python tests/liar/lies.py again LANGUAGE CONNECTION
    python tests/liar/lies.py runs LANGUAGE SECONDS [SEED]

What a liar knows of honest candidates it learns from one run of some test files with their own solutions.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache
from itertools import count
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from gates import Watched, watch
from liar import Liar
from lying_runs import Honest, honest, lied
from tested_files import TestedFile, exercises, gathered, in_one_process, together
from weakened import Weakened

LANGUAGES = ("python", "javascript", "julia")
# They have objects, callbacks and exceptions of all kinds.
_LESSONS = {
    "python": "classes callbacks functions mocks sized warned library_values named_tuples exceptions".split(),
    "javascript": "classes callbacks functions".split(),
    "julia": "structs callbacks".split(),
}
# Far more than it takes, so that chance decides nothing, and nothing depends on how busy the machine is.
MINUTE_MESSAGES, _MINUTE_RUNS = 400_000, 100


@cache
def _file(language: str, name: str, seed: int) -> TestedFile:
    return in_one_process(next(each for each in exercises(language, seed) if each.name == name))


@cache
def _known(language: str, name: str) -> Honest:
    return honest(_file(language, name, 5))


@cache
def _known_together(language: str, name: str) -> Honest:
    return honest(gathered(language, 5)[name])


@cache
def lessons(language: str) -> Honest:
    """Return what a liar at a checkpoint knows, and the contract there."""
    files = [next(each for each in exercises(language, 5) if each.name == name) for name in _LESSONS[language]]
    return honest(in_one_process(together(files)))


def found(weakened: Weakened, seed: int) -> list[str]:
    """Return what a liar finds in a program without an invariant, in about a minute."""
    language = weakened.language
    if not weakened.exercise:
        return watch(language, seed, lessons(language), messages=MINUTE_MESSAGES, program=weakened.weaken).findings
    before = _known(language, weakened.exercise)
    if (file := _file(language, weakened.exercise, 5)).needs_contract:
        before = honest(file, weakened.weaken)
    for turn in range(_MINUTE_RUNS):
        liar = Liar(language, seed + turn, memory=before.memory)
        file = _file(language, weakened.exercise, 6 + turn)
        # Without a contract, too, which may hold what is taken away, and without `exact`.
        kept = turn % 2 == 0
        findings = lied(file, before, liar, weakened.weaken, contract=kept, exact=kept and file.needs_contract).findings
        if findings:
            return findings
    return []


def run(language: str, seed: int, seconds: float) -> Watched:
    """Run all test files of a language against liars, again and again, until the time is over or something is found."""
    watched, ends = Watched(), time.monotonic() + seconds
    names = [*gathered(language, 0)]
    for turn in count(seed):
        name = names[turn % len(names)]
        before = _known_together(language, name)
        liar = Liar(language, turn, memory=before.memory, cells=watched.cells)
        # With other numbers than the honest run's.
        file = gathered(language, turn + 6)[name]
        came = lied(file, before, liar, contract=turn % 3 > 0, exact=turn % 2 == 0 and file.needs_contract)
        watched.connections += 1
        watched.messages += came.messages
        watched.findings += [f"{name}, liar {turn}: {text}" for text in came.findings]
        if watched.findings or time.monotonic() > ends:
            break
    return watched


def gate(language: str, seed: int, seconds: float) -> Watched:
    """Let liars talk to one process of a checkpoint after another, which keeps something of each connection."""
    watched, ends = Watched(), time.monotonic() + seconds
    for turn in count(seed):
        left = ends - time.monotonic()
        came = watch(language, turn, lessons(language), seconds=left, messages=MINUTE_MESSAGES)
        print(f"seed {turn}: {came.messages} messages, {came.connections} connections, {came.findings}", flush=True)
        watched.messages += came.messages
        watched.connections += came.connections
        watched.findings += came.findings
        watched.cells.counts.update(came.cells.counts)
        if watched.findings or time.monotonic() > ends:
            break
    return watched


def main() -> int:
    """Talk for a while, and report what came of it."""
    what, language, *words = sys.argv[1:]
    began = time.monotonic()
    seed = int(words[1]) if len(words) > 1 else int.from_bytes(os.urandom(3), "big")
    if what == "again":
        watched = watch(language, 0, lessons(language), again=int(words[0]))
    elif what == "gate":
        watched = gate(language, seed, float(words[0]))
    else:
        watched = run(language, seed, float(words[0]))
    spent = time.monotonic() - began
    print(f"seed {seed}, {watched.messages} messages, {watched.connections} connections, {spent:.0f} s")
    print("\n".join([*watched.cells.report(), *watched.findings]))
    return bool(watched.findings)


if __name__ == "__main__":
    sys.exit(main())

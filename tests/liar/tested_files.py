"""Test files of all kinds, each with an honest solution: what a lying peer is asked by real test runners.

A file of `tested/` holds many. `E1` to `E9` are random 64-bit numbers of a run that a test expects, `F1` to `F9` random
floats, `A1` to `A9` numbers that a test hands out itself. Only the solution and the test file know the first two. Each
test needs at least one of them to pass, so a peer that does not know them passes none.

    === NAME RUNNER [PATH]      what runs the tests, and where the solution lies
    === NAME RUNNER contract    the same; only the contract keeps a peer from passing, or says with what it has passed
    solution
    --- PATH                    another file of the solution
    ---
    tests, or an item
    --- item                    another item
    --- tests/PATH              a file that tests read
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gradebox.graders.languages.julia import literal

ROOM = Path(__file__).with_name("tested")
DEFAULT_PATH = {"python": "solution.py", "javascript": "solution.mjs", "julia": "solution.jl"}
TEST_PATH = {"python": "tests/test_it.py", "javascript": "tests/it.test.mjs"}
_MOST_TOGETHER = 8
_SOLUTION = re.compile(r"\bsolution\b")
_NUMBER = re.compile(r"[AEF][1-9](?![0-9])")


@dataclass(frozen=True, slots=True)
class TestedFile:
    """A test file or some items, and a solution that passes.

    Attributes:
        name: Of the exercise.
        language: Of both.
        runner: What runs the tests: `pytest`, `unittest`, `node:test` or `items`.
        solution: The submission's files.
        tests: The text of each test file by its path, or of each item by its number.
        secrets: The texts that only the tests know.
        needs_contract: Whether a peer may pass without a contract.
    """

    __test__ = False
    name: str
    language: str
    runner: str
    solution: Mapping[str, str]
    tests: Mapping[str, str]
    secrets: frozenset[str]
    needs_contract: bool = False


def numbers(seed: int) -> dict[str, str]:
    """Return the numbers of a run."""
    chance = random.Random(seed)
    chosen = {f"{kind}{at}": str(chance.getrandbits(63) | 1 << 63) for kind in "AE" for at in range(1, 10)}
    # Few enough digits that every language prints the same text.
    return {
        **chosen,
        **{f"F{at}": f"{chance.randint(1, 9)}.{chance.randrange(10**13, 10**14)}1" for at in range(1, 10)},
    }


def exercises(language: str, seed: int) -> Iterator[TestedFile]:
    """Yield the files of a language with the numbers of a run."""
    known = numbers(seed)
    secrets = frozenset(text for name, text in known.items() if name[0] != "A")
    text = _NUMBER.sub(lambda found: known[found[0]], (ROOM / f"{language}.txt").read_text("utf-8"))
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, rest = block.partition("\n")
        name, runner, *path = head.removesuffix(" contract").split()
        submitted, _, tests = re.sub(r"\A---\n", "\n---\n", rest).partition("\n---\n")
        first, *others = re.split(r"^--- ", f"{submitted}\n", flags=re.MULTILINE)
        solution = {path[0] if path else DEFAULT_PATH[language]: first, **_files(others)}
        tests, *read = re.split(r"^--- (?=tests/)", tests, flags=re.MULTILINE)
        parts = tests.split("\n--- item\n")
        names = [str(at) for at in range(len(parts))] if runner == "items" else [TEST_PATH[language]]
        texts = {**dict(zip(names, parts, strict=True)), **_files(read)}
        yield TestedFile(name, language, runner, solution, texts, secrets, head.endswith(" contract"))


def _files(parts: Sequence[str]) -> dict[str, str]:
    return {name: text for name, _, text in (part.partition("\n") for part in parts)}


def together(files: Sequence[TestedFile]) -> TestedFile:
    """Return one case of some files that have the same runner: a module and a test file for each."""
    solution: dict[str, str] = {}
    tests: dict[str, str] = {}
    for file in files:
        own = _SOLUTION.sub(f"solution_{file.name}", "\0".join((*file.solution, *file.solution.values()))).split("\0")
        solution.update(zip(own[: len(own) // 2], own[len(own) // 2 :], strict=True))
        for at, (path, text) in enumerate(file.tests.items()):
            is_file = path.startswith("tests/")
            name = re.sub(r"\bit\b|(?<=_)it(?=\.)", file.name, path) if is_file else f"{file.name}-{at}"
            tests[name] = _SOLUTION.sub(f"solution_{file.name}", text)
    first = files[0]
    return replace(first, name="together", solution=solution, tests=tests)


def gathered(language: str, seed: int) -> dict[str, TestedFile]:
    """Return the files of a language, several as one case where they may be: to start a runner takes long."""
    groups: dict[str, list[TestedFile]] = {}
    for at, file in enumerate(exercises(language, seed)):
        is_alone = file.needs_contract or (file.runner == "items" and language != "julia")
        groups.setdefault(file.name if is_alone else f"{file.runner} {at // _MOST_TOGETHER}", []).append(file)
    return {name: in_one_process(together(files) if files[1:] else files[0]) for name, files in groups.items()}


def in_one_process(file: TestedFile) -> TestedFile:
    """Return a file whose items of Julia are one file of tests: to start Julia for each takes seconds."""
    if file.language != "julia":
        return file
    tests = [f"    @test (include_string(Main, {literal(text)}); true)\n" for text in file.tests.values()]
    text = "".join(["using Test\n@testset begin\n", *tests, "end\n"])
    return replace(file, runner="julia-test", tests={"runtests.jl": text})

"""Writes a suite of hostile and honest cases with the work that is graded, and says which verdict each must get.

<directory>/
    suite.eval.yaml, targets.yaml
    cases/<id>/       a base of tests/hostile, or a shipped case
    recorded/<id>     what was handed in: one attack on that base, or the case's own reference
"""

from __future__ import annotations

import random
import secrets
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parents[2]
sys.path[:0] = [str(HERE / "tests" / "hostile"), str(HERE / "tests" / "support")]

from corpus import BASES, WHOLE, Attack, read_corpus  # noqa: E402

SHIPPED = HERE / "cases" / "add-auth"
# How often attacks on a base are drawn. Those that are over when a deadline is, and those in Julia, take long.
SHARES = {
    **dict.fromkeys(("apart", "files", "items-bash", "json", "probe", "pytest", "pytest-hidden", "script"), 1.0),
    **dict.fromkeys(("theft", "unittest"), 1.0),
    **dict.fromkeys(("bun-test", "exhaust", "items-python", "node-test"), 0.5),
    "deadline": 0.1,
}
QUICK = ("files", "items-bash", "json", "script", "theft", "unittest")
HONEST = 0.4
_TOKEN = b"@canary@"
_SUITE = """\
name: soak
execution: {targets: [{name: recorded, use_target: recorded}]}
tests: ./cases/
"""
_TARGETS = "- {name: recorded, provider: replay, path: 'recorded/{case_id}'}\n"


def write(directory: Path, count: int, chance: random.Random, runtime: str, *, quick: bool) -> dict[str, str]:
    """Write the suite, and return the verdict that each case must get."""
    shares = {base: share for base, share in SHARES.items() if not quick or base in QUICK}
    attacks = [
        attack.seen_under(runtime) for attack in read_corpus() if _fits(attack, runtime) and attack.base in shares
    ]
    weights = [shares[attack.base] for attack in attacks]
    expected: dict[str, str] = {}
    for number in range(count):
        attack = chance.choices(attacks, weights)[0]
        if chance.random() < HONEST:
            base = SHIPPED if chance.random() < 0.3 else BASES / attack.base
            name, verdict = f"c{number:04d}-honest-{base.name}", "passed"
            _copy(base / "reference", directory / "recorded" / name)
        else:
            base = BASES / attack.base
            name, verdict = f"c{number:04d}-{attack.name}", attack.verdict
            _hand_in(attack, directory / "recorded" / name)
        _copy(base, directory / "cases" / name)
        _without_id(directory / "cases" / name / "case.yaml")
        expected[name] = verdict
    (directory / "suite.eval.yaml").write_text(_SUITE)
    (directory / "targets.yaml").write_text(_TARGETS)
    return expected


def _fits(attack: Attack, runtime: str) -> bool:
    """Say whether an attack can be drawn: those that are made need a file system of their own."""
    program = attack.program
    return (
        attack.make is None
        and runtime not in attack.not_under
        and program is not None
        and (program.is_dir() or program.suffix not in WHOLE)
    )


def _hand_in(attack: Attack, place: Path) -> None:
    program = attack.program
    assert program is not None
    if program.is_dir():
        shutil.copytree(program, place, symlinks=True)
        return
    target = place / (attack.laid_as or f"attack{program.suffix}")
    target.parent.mkdir(parents=True)
    shutil.copy(program, target)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or a tree, with a secret of its own in place of every token."""
    secret = secrets.token_hex(16).encode()
    for path in _files(source):
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes().replace(_TOKEN, secret))
        place.chmod(path.stat().st_mode & 0o777)
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)


def _without_id(case: Path) -> None:
    """Leave a case the name of its directory as its id."""
    lines = case.read_text("utf-8").splitlines(keepends=True)
    case.write_text("".join(line for line in lines if not line.startswith("id:")), "utf-8")


def _files(source: Path) -> Iterator[Path]:
    if source.is_file():
        yield source
    else:
        yield from (path for path in sorted(source.rglob("*")) if path.is_file())

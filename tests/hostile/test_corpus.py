"""Every attack of the tables, through the command line, on a real engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from batch import NEIGHBOUR, Batch, Result, honest_of
from corpus import BASES, HERE, Attack, read_corpus
from weakened_defences import Defence

from gradebox.graders.errors import ExitCode
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.time_limit import wall_seconds
from gradebox.graders.runs.kept.evidence_files import CHANGES
from gradebox.sandbox.engines.engine import Engine
from gradebox.sandbox.owner import LABEL, LABEL_OWNER
from gradebox.sandbox.types import Ending

CORPUS = read_corpus()
# Julia takes its time to begin, so one base of it stands for those that try the same rule in each language.
_IN_EACH_LANGUAGE = {"named-like-a-word-julia", "operators-of-other-results-julia", "module-is-a-command-line-julia"}
BASE_NAMES = sorted(path.parent.name for path in BASES.glob("*/case.yaml"))
BREACH = "BREACH"
# What a command may take beyond its deadline until all of its processes are dead, and a case until its sandbox is gone.
COMMAND_GRACE_SECONDS = 20.0
CASE_GRACE_SECONDS = 90.0
# Our own process: what Python and its libraries take, and the output that is kept of a few sandboxes.
PEAK_BYTES = 300 * 1024 * 1024

pytestmark = pytest.mark.timeout(1500)


def few() -> Iterator[Attack]:
    """Yield attacks that meet each defence of each base; `make thorough` and `make hostile` grade the others, too."""
    met: set[tuple[str, Defence | None]] = set()
    for attack in sorted(CORPUS, key=lambda attack: -len(attack.defences)):
        meets = {(attack.base, defence) for defence in attack.defences or (None,)}
        if attack.name not in _IN_EACH_LANGUAGE and not meets <= met:
            met |= meets
            yield attack


FEW = {attack.name: attack.base for attack in few()}


@pytest.mark.parametrize(
    "attack",
    [pytest.param(each, id=each.name, marks=() if each.name in FEW else pytest.mark.thorough) for each in CORPUS],
)
def test_attack(attack: Attack, runtime: str, batch: Callable[[str], Batch]) -> None:
    if runtime in attack.not_under:
        pytest.skip(f"{runtime}: {attack.not_under[runtime]}")
    attack = attack.seen_under(runtime)
    happened = batch(attack.base)
    graded = happened.graded[attack.name]
    document = graded.document
    assert document["verdict"] == attack.verdict, document["reasons"]
    assert_main_command(attack, document)
    assert_nothing_leaked(attack, happened, graded)
    assert_checks(attack, document)
    assert_told(attack, document)
    assert_in_time(happened, document)


def assert_main_command(attack: Attack, document: dict[str, Any]) -> None:
    if not attack.ending:
        assert [check["name"] for check in document["checks"] if check["steps"]] == []
        return
    step = main_step(attack, document)
    assert step["ending"] in attack.ending, step
    if attack.exit_code is not None and step["ending"] == Ending.EXITED:
        assert step["exit_code"] == attack.exit_code, "the attack broke down: it has shown nothing"


def main_step(attack: Attack, document: dict[str, Any]) -> dict[str, Any]:
    check = main_check(attack, document)
    steps: list[dict[str, Any]] = [step for step in check["steps"] if step["role"] in ("check", "item")]
    assert steps, f"nothing ran for {check['name']}: {check['reason']}"
    return steps[-1]


def main_check(attack: Attack, document: dict[str, Any]) -> dict[str, Any]:
    checks: list[dict[str, Any]] = document["checks"]
    return next(check for check in checks if attack.check in (None, check["name"]))


def assert_nothing_leaked(attack: Attack, batch: Batch, graded: Result) -> None:
    texts = {"the verdict": str(graded.document), **graded.printed}
    secrets = [value for name, value in batch.canaries.items() if name not in attack.may_print]
    # The submission's own text may hold what it prints when it succeeds, but no secret.
    unwanted = {name: secrets if name == CHANGES else [BREACH, *attack.must_not, *secrets] for name in texts}
    assert [(name, text) for name, text in texts.items() if any(word in text for word in unwanted[name])] == []
    for wanted in attack.must:
        assert any(wanted in text for text in texts.values()), f"no output has {wanted!r}"


def assert_checks(attack: Attack, document: dict[str, Any]) -> None:
    failed = {check["name"] for check in document["checks"] if check["verdict"] != "passed"}
    reasons = {check["name"]: check["reason"] for check in document["checks"]}
    if attack.fails != ():
        wanted = set(attack.fails or [main_check(attack, document)["name"]])
        assert wanted <= failed <= wanted | attack.may_fail, reasons


def assert_told(attack: Attack, document: dict[str, Any]) -> None:
    if attack.tampering is not None:
        assert {told["kind"] for told in document["tampering"]} == attack.tampering
    for key in ("restored", "removed", "left_out"):
        wanted = getattr(attack, key)
        assert wanted is None or sorted(document[key]) == sorted(wanted)


def assert_in_time(batch: Batch, document: dict[str, Any]) -> None:
    case = load_case(batch.case)
    # Deadlines of single checks are the base's own business; none is longer than its case's.
    most, held = wall_seconds(case.timeout_seconds), 0.0
    for step in (step for check in document["checks"] for step in check["steps"]):
        assert step["wall_seconds"] - step["held_up_seconds"] <= most + COMMAND_GRACE_SECONDS, step
        held += step["held_up_seconds"]
    assert document["wall_seconds"] - held <= most + CASE_GRACE_SECONDS


@pytest.mark.parametrize(
    "base", [pytest.param(name, marks=() if name in FEW.values() else pytest.mark.thorough) for name in BASE_NAMES]
)
def test_nobody_else_is_harmed(base: str, batch: Callable[[str], Batch], engine: Engine) -> None:
    happened = batch(base)
    honest = happened.graded[NEIGHBOUR].document
    assert (honest["verdict"], honest["score"], honest["tampering"]) == ("passed", 1.0, []), honest["reasons"]
    others = len(happened.graded) - 1
    assert happened.code == (ExitCode.FAILED if others else ExitCode.PASSED), happened.stderr
    assert "Traceback" not in happened.stderr
    assert happened.peak_bytes < PEAK_BYTES
    assert happened.processes_left == ()
    left = engine.leftovers()
    owners = [found.labels.get(LABEL_OWNER, "").split(":")[1:2] for found in left if found.kind == "container"]
    assert [str(happened.pid)] not in owners
    assert {found.labels[LABEL] for found in left if found.kind == "volume"} <= {"supervisor"}


def test_the_corpus_does_not_shrink() -> None:
    assert len(CORPUS) >= 120


def test_names_are_unique() -> None:
    names = [attack.name for attack in CORPUS]
    assert sorted(set(names)) == sorted(names)
    assert NEIGHBOUR not in names


def test_every_program_is_in_a_table() -> None:
    groups = {attack.group for attack in CORPUS}
    programs = {path for group in groups for path in (HERE / group).iterdir() if path.name != "__pycache__"}
    assert programs == {attack.program for attack in CORPUS if attack.make is None}


@pytest.mark.parametrize("base", BASE_NAMES)
def test_every_base_has_its_canaries(base: str) -> None:
    directory: Path = BASES / base
    assert "@canary@" in (directory / "case.yaml").read_text("utf-8")
    for part in (honest_of(base), directory / "grading"):
        if part.name != "grading" or part.is_dir():
            files = [path for path in part.rglob("*") if path.is_file()]
            assert any(b"@canary@" in path.read_bytes() for path in files), part

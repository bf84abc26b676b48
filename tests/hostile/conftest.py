"""Batches are graded once a session, when the first attack on their base is asked for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from batch import Batch, run_batch
from corpus import RUNTIME, Attack
from here_container import ACCEPTED

from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.engines.engine import Engine

# Programs and bases hold tests, plugins and conftest files of their own, most of them hostile: none is for us to load.
collect_ignore_glob = ["*/*"]


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    engine = connect()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def runtime(engine: Engine) -> str:
    """Return the name of the runtime that sandboxes get."""
    if RUNTIME in ACCEPTED:
        return RUNTIME
    info = engine.info()
    if RUNTIME and RUNTIME not in info.runtimes:
        pytest.skip(f"the engine has no runtime {RUNTIME}: nothing was attacked under it")
    return RUNTIME or info.default_runtime


@pytest.fixture(scope="session")
def batch(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, runtime: str
) -> Callable[[str], Batch]:
    """Return a function that grades all selected attacks on a base, once."""
    selected: dict[str, dict[str, Attack]] = {}
    for item in request.session.items:
        attack = item.callspec.params.get("attack") if hasattr(item, "callspec") else None
        if isinstance(attack, Attack) and runtime not in attack.not_under:
            selected.setdefault(attack.base, {})[attack.name] = attack
    done: dict[str, Batch | BaseException] = {}
    kept = os.environ.get("GRADEBOX_HOSTILE_KEEP")

    def grade(base: str) -> Batch:
        if base not in done:
            directory = Path(kept).resolve() / f"{base}-{os.getpid()}" if kept else tmp_path_factory.mktemp(base)
            directory.mkdir(parents=True, exist_ok=True)
            try:
                done[base] = run_batch(base, list(selected.get(base, {}).values()), directory, RUNTIME)
            except BaseException as error:
                # Once is enough: every other attack on this base would wait as long for the same.
                done[base] = error
                raise
        match done[base]:
            case Batch() as found:
                return found
            case error:
                raise AssertionError(f"the batch {base} was not graded: {error}") from error

    return grade

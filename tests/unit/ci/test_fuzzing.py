"""The runner of ``tests/fuzz``: what it finds is kept, named, and makes it fail."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"


@pytest.fixture(scope="module")
def runner() -> Iterator[ModuleType]:
    path, modules = list(sys.path), set(sys.modules)
    sys.path.insert(0, str(FUZZ))
    import run as runner

    yield runner
    sys.path[:] = path
    # Their names are short enough for others to have them, too.
    for name in set(sys.modules) - modules:
        if str(FUZZ) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def raising(data: bytes) -> object:
    if b"\xff" in data:
        raise ValueError("planted")
    return len(data) // 10


def hanging(data: bytes) -> object:
    while data:
        pass
    return ""


def dying(data: bytes) -> object:
    if data:
        os.kill(os.getpid(), signal.SIGKILL)
    return ""


def fine(data: bytes) -> object:
    return data[:1]


@pytest.mark.parametrize(
    ("attempt", "says"),
    [(raising, "ValueError: planted"), (hanging, "s of processor time"), (dying, "gave no answer (exit code -9)")],
)
def test_a_planted_bug_is_found_kept_and_repeated(
    runner: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    attempt: object,
    says: str,
) -> None:
    import fuzzing

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fuzzing, "INPUT_SECONDS", 0.1)
    targets = {
        "planted": fuzzing.Target("planted", [b"", b"seed"], [b"\xff"], attempt),
        "sound": fuzzing.Target("sound", [b"seed"], [], fine),
    }
    # Long enough for a busy machine; the sound one takes all of it.
    assert runner.main(["--seconds", "0.5", "--seed", "7"], targets) == 1
    said = capfd.readouterr().out
    assert says in said
    assert "seed 7" in said
    assert "sound " in said
    (kept,) = (tmp_path / "fuzz-failures").iterdir()
    assert str(kept.relative_to(tmp_path)) in said
    assert kept.name.startswith("planted-")
    if attempt is raising:
        assert runner.main(["--repeat", str(kept), "planted"], targets) == 1
        assert runner.main(["--repeat", str(kept), "sound"], targets) == 0


def test_nothing_found_is_success(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import fuzzing

    monkeypatch.chdir(tmp_path)

    def unprepared() -> None:
        raise fuzzing.Unavailable("no compiler")

    targets = {
        "sound": fuzzing.Target("sound", [b"seed"], [], fine),
        "absent": fuzzing.Target("absent", [b""], [], fine, unprepared),
    }
    assert runner.main(["--seconds", "0.2"], targets) == 0
    assert "skipped: no compiler" in capfd.readouterr().out
    assert not (tmp_path / "fuzz-failures").exists()
    # Asked for by name, what cannot run is not a success.
    assert runner.main(["--seconds", "0.2", "absent"], targets) == 2
    assert runner.main(["nowhere"], targets) == 2


def test_a_seed_says_which_inputs_come(runner: ModuleType) -> None:
    import fuzzing

    def inputs(seed: int) -> list[bytes]:
        tried: list[bytes] = []
        ends = time.monotonic() + 60

        def attempt(data: bytes) -> object:
            tried.append(data)
            if len(tried) == 300 or time.monotonic() > ends:
                raise ValueError("enough")
            return data[:2]

        fuzzing.fuzz(fuzzing.Target("any", [b"seed", b"another"], [b"word"], attempt), seed, 60)
        return tried

    assert len(set(inputs(1))) > 100
    assert inputs(1) == inputs(1)
    assert inputs(1) != inputs(2)


def test_whatever_a_target_has_nested_is_removed(runner: ModuleType, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = os.open(scratch, os.O_RDONLY)
    for _ in range(2 * sys.getrecursionlimit()):
        os.mkdir("d", dir_fd=here)
        inside = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inside
    os.close(here)
    runner.remove(scratch)
    assert not scratch.exists()


@pytest.mark.thorough  # `make fuzz` begins with them.
def test_every_target_takes_its_own_seeds(runner: ModuleType) -> None:
    import fuzzing
    import targets

    for target in targets.TARGETS.values():
        if target.name.startswith("c-"):
            continue
        saw = [fuzzing.tried(target, seed) for seed in target.seeds]
        assert [failure.report for _, failure in saw if failure] == [], target.name
        assert target.seeds, target.name

"""What tests replace in the library is replaced in both processes, until it is put back."""

from __future__ import annotations

import builtins
import io
import sqlite3
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.carried_patches import Assigned, carry_patches

COMMON = ModuleType("common")
PREPARED = ("_pytest.monkeypatch", "unittest.mock", "random", "logging", "logging.config", "sqlite3", "doctest")


class _Peer:
    connection = 5

    def __init__(self) -> None:
        self.requests: list[tuple[Any, ...]] = []

    def ask(self, *request: Any) -> None:
        self.requests.append(request)

    def name_of(self, thing: Any) -> str:
        return {id(COMMON): "common", id(sys): "sys", id(_JUDGING): "unittest.mock"}.get(id(thing), "")


_JUDGING = ModuleType("judging")


@pytest.fixture
def peer() -> _Peer:
    return _Peer()


@pytest.fixture
def then(peer: _Peer, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what is done to modules when they are loaded."""
    finder = SimpleNamespace()
    with monkeypatch.context() as patch:
        for name in PREPARED:
            patch.delitem(sys.modules, name, raising=False)
        carry_patches(peer, finder)
    return finder.then


@pytest.fixture
def replace(then: Any) -> Any:
    """Return what `mock.patch` calls in place of `setattr` and `delattr`."""
    mock = SimpleNamespace()
    then["unittest.mock"](mock)
    COMMON.__dict__.update(before=1)
    return mock.setattr


def test_what_is_replaced_and_put_back_is_told(peer: _Peer, replace: Any) -> None:
    replace(COMMON, "before", 2)
    assert COMMON.before == 2
    replace(COMMON, "before", 1)
    assert peer.requests == [("replace", COMMON, "before", 2), ("restore", COMMON, "before")]


def test_what_was_not_there_is_removed_again(peer: _Peer, replace: Any) -> None:
    replace(COMMON, "new", 2)
    replace(COMMON, "new")
    assert not hasattr(COMMON, "new")
    assert peer.requests == [("replace", COMMON, "new", 2), ("restore", COMMON, "new")]


@pytest.mark.parametrize("thing", [SimpleNamespace(), ModuleType("own"), _JUDGING], ids=["object", "module", "judging"])
def test_what_the_candidate_has_not_or_what_judges_stays_here(peer: _Peer, replace: Any, thing: Any) -> None:
    replace(thing, "x", 1)
    assert (thing.x, peer.requests) == (1, [])


def test_what_tests_assign_is_told_before_the_next_request(peer: _Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    assigned = Assigned()
    assigned.tell(peer)
    argv, stdin = ["it", "a"], io.StringIO("1")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", argv)
        patch.setattr(sys, "stdin", stdin)
        patch.setattr(builtins, "input", len)
        for _ in range(2):
            assigned.tell(peer)
        argv.append("b")
        assigned.tell(peer)
    assigned.tell(peer)
    assert peer.requests == [
        ("replace", sys, "stdin", stdin), ("replace", sys, "argv", ["it", "a"]), ("replace", builtins, "input", len),
        ("replace", sys, "argv", ["it", "a", "b"]), ("restore", sys, "stdin"), ("restore", sys, "argv"),
        ("restore", builtins, "input"),
    ]  # fmt: skip


def test_a_patch_of_what_is_watched_is_told_once(peer: _Peer, replace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", sys.argv)
    replace(sys, "argv", ["it"])
    assert peer.requests == []


def test_where_it_is_printed_stays_here(peer: _Peer, replace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    replace(sys, "stdout", sys.stderr)
    assert peer.requests == []


def test_a_seed_and_a_level_hold_there_too(peer: _Peer, then: Any) -> None:
    seeded: list[Any] = []
    random, logger = SimpleNamespace(seed=seeded.append), SimpleNamespace(name="a", level=10)
    logging = SimpleNamespace(Logger=SimpleNamespace(setLevel=lambda *_: None))
    then["random"](random)
    then["logging"](logging)
    random.seed(5)
    logging.Logger.setLevel(logger, 10)
    assert seeded == [5]
    assert peer.requests == [("seed", 5), ("level", "a", 10)]


class _Told:
    """What a submission has named, and the limits that were met."""

    def __init__(self) -> None:
        self.told, self.attached = self, list[str]()

    def has(self, name: str) -> bool:
        return name == "runpy.run_path"

    def have_collations(self, connection: Any) -> None:
        pass

    def attach(self, action: int, *about: Any) -> int:
        self.attached += [about[0]] if action == 24 else []
        return 0


@pytest.fixture
def judging(peer: _Peer) -> _Told:
    told = _Told()
    vars(peer).update(lending=told, checkpoint=SimpleNamespace(limited=TypeError))
    return told


@pytest.mark.parametrize("name", ["runpy.run_path", "logging.Formatter", "own.Formatter"])
def test_a_logging_configuration_of_the_submission_names_logging_alone(then: Any, judging: _Told, name: str) -> None:
    config = SimpleNamespace(BaseConfigurator=type("BaseConfigurator", (), {"resolve": lambda self, name: name}))
    then["logging.config"](config)
    if judging.has(name):
        with pytest.raises(TypeError, match=name):
            config.BaseConfigurator().resolve(name)
    else:
        assert config.BaseConfigurator().resolve(name) == name
    with pytest.raises(TypeError, match="fileConfig"):
        config.fileConfig("logging.ini")


def test_doctest_finds_and_runs_nothing(then: Any, judging: _Told) -> None:
    doctest = SimpleNamespace(DocTestFinder=type("Finder", (), {}), DocTestParser=type("Parser", (), {}))
    then["doctest"](doctest)
    for function in (doctest.DocTestFinder().find, doctest.DocTestParser().parse):
        with pytest.raises(TypeError, match="doctest"):
            function(">>> 1")


def test_statements_of_sqlite_are_looked_at(then: Any, judging: _Told, tmp_path: Path) -> None:
    module = SimpleNamespace(connect=sqlite3.connect, dbapi2=SimpleNamespace())
    then["sqlite3"](module)
    module.dbapi2.connect(":memory:").execute(f"attach '{tmp_path}/x.db' as x")
    assert judging.attached == [f"{tmp_path}/x.db"]

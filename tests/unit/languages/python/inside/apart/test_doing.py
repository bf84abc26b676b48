"""What the candidate's process does on request."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.languages.python.inside.apart.doing import Doing
from gradebox.graders.languages.python.inside.apart.loops import Loops


class _Alone(Doing):
    """A candidate's process that nobody is connected to."""

    def __init__(self) -> None:
        super().__init__()
        self.loops = Loops(self)
        self.own: dict[int, Any] = {}
        self.waiting: list[Any] = []
        self.thread = threading.get_ident()
        self.lent: list[Any] = []

    def given(self, value: Any, *_: Any) -> int:
        self.lent.append(value)
        return -len(self.lent)


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        (("call", max, (1, 2), ("key", abs)), 2),
        (("method", "a,b", "split", (",",), ()), ["a", "b"]),
        (("get", "a", "__class__"), str),
        (("base", list, "__len__", [1], (), ()), 1),
        (("operator", [1, 2], "getitem", 1), 2),
        (("isinstance", int, 5), True),
        (("item", {"a": 1}, "a"), 1),
        (("read", range(3)), (0, 1, 2)),
        (("plain", SimpleNamespace(a=1)), (("a", 1),)),
        (("copy", [1]), [1]),
        (("find", "os", "path.join"), os.path.join),
        (("exported", SimpleNamespace(a=1, _b=2)), ["a"]),
        (("exported", SimpleNamespace(a=1, __all__=("b",))), ["b"]),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) and value and isinstance(value[0], str) else "",
)
def test_it_answers(wanted: tuple[Any, ...], answer: Any) -> None:
    assert _Alone().perform(*wanted) == answer


def test_what_was_replaced_is_put_back() -> None:
    doing, thing = _Alone(), SimpleNamespace(a=1)
    doing.perform("replace", thing, "a", 2)
    doing.perform("replace", thing, "a")
    doing.perform("replace", thing, "b", 3)
    assert vars(thing) == {"b": 3}
    for name in "ab":
        doing.perform("restore", thing, name)
    assert vars(thing) == {"a": 1}


def test_the_directory_and_the_environment_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GONE", "1")
    monkeypatch.setenv("CHANGED", "1")
    (tmp_path / "deep").mkdir()
    _Alone().perform("around", str(tmp_path / "deep"), (("GONE", None), ("CHANGED", "2")), -1)
    assert (Path.cwd().name, os.environ.get("GONE"), os.environ["CHANGED"]) == ("deep", None, "2")


def test_a_module_is_loaded_from_the_places_that_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "of_the_submission.py").write_text("x = 1\n")
    doing = _Alone()
    found = doing.perform("module", "of_the_submission", (str(tmp_path),))
    assert found == (False, str(tmp_path / "of_the_submission.py"))
    assert doing.perform("module", "nowhere_at_all", ()) is None
    assert doing.perform("import", "of_the_submission", (), False) == -1
    assert doing.lent[0].x == 1
    del sys.modules["of_the_submission"]


def test_a_file_that_is_open_for_writing_is_found(tmp_path: Path) -> None:
    doing, places = _Alone(), (f"{tmp_path}/",)
    (tmp_path / "a").write_text("")
    with (tmp_path / "a").open():
        assert not doing.perform("writing", places)
    with (tmp_path / "a").open("a"):
        assert doing.perform("writing", places)


def test_what_is_kept_here_is_told_once() -> None:
    doing = _Alone()
    doing.own[1], doing.refused = (None, {"b": 1, "a": 2}), "copies"
    assert doing.perform("kept") == (["a", "b"], "copies")
    assert doing.perform("kept") == ([], "")


def test_an_awaitable_is_run_in_steps() -> None:
    async def answer() -> int:
        await asyncio.sleep(0)
        return 5

    doing = _Alone()
    number = doing.perform("await", answer())
    assert doing.perform("turn", None, (), 0.0) == ((number,), False)
    assert doing.perform("result", None, number) == 5
    doing.perform("around", "", (), -1)
    assert doing.loops.inner is None


def test_an_alarm_waits_for_the_end_of_a_message() -> None:
    doing, seen = _Alone(), list[str]()

    def late(*_: Any) -> None:
        raise TimeoutError

    def send() -> None:
        signal.raise_signal(signal.SIGALRM)
        seen.append("sent")

    before = signal.signal(signal.SIGALRM, late)
    try:
        doing.without_alarm(seen.append, "in time")
        assert doing.do_kept() == ([], "")
        with pytest.raises(TimeoutError):
            doing.without_alarm(send)
        assert signal.getsignal(signal.SIGALRM) is late
    finally:
        signal.signal(signal.SIGALRM, before)
    assert (seen, doing.do_kept()) == (["in time", "sent"], ([], "timeouts"))


def test_it_remembers_what_a_module_and_its_classes_had() -> None:
    class Dog:
        count, parts = 0, []
        own = classmethod(lambda cls: cls)

    Dog.__module__ = "not of the library"
    doing, module = _Alone(), ModuleType("dogs")
    module.__dict__.update(Dog=Dog, MOST=3, _own=1)
    doing.perform("remember", module)
    Dog.count, module.late = 1000, 5  # type: ignore[attr-defined]
    of_dog = {name: doing.perform("same", Dog, name) for name in ("count", "parts", "own")}
    assert of_dog == {"count": False, "parts": True, "own": True}
    assert [doing.perform("same", module, name) for name in ("Dog", "MOST", "late")] == [True, True, False]

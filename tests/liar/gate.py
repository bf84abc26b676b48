"""The checkpoint of Python, for a liar (gates.py): one connection after another, of which each lends some objects.

What comes is used as tests use it. Nothing common, nothing that was not lent and nothing private of what was lent may
change; what is secret may neither be sent nor be matched; and no message may have this process import, open, execute
or start anything. It runs behind the bundled program of the grader's side (`_program`), with a copy of its names.
"""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import copy
import datetime
import decimal
import fractions
import io
import json
import logging
import random as random_module
import secrets
import pickle  # noqa: F401 - a message that cannot be shown would load it
import sys
import tracemalloc  # noqa: F401 - the same
import unittest.mock
import uuid
import warnings
import zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque
from dataclasses import asdict, dataclass, field
from pathlib import PosixPath, PurePath
from types import SimpleNamespace
from typing import Any

import os as plain_os

_IS_OVER, _BEGINS = 0xFFFFFFFF, 0xFFFFFFFE
_STDIN, _STDOUT = plain_os.dup(0), plain_os.dup(1)
_told: list[bytes] = []
_taken = bytearray()
_SECRET = f"secret{secrets.randbits(64)}"
_NUMBER = secrets.randbits(63) | 1 << 63
_chance = random_module.Random()
_findings: list[str] = []
_finding = _findings.append
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for _name in (*BOUNDARY["python"]["constants"], *BOUNDARY["python"]["exceptions"]):  # type: ignore[name-defined]
        # A name of the table is imported where it is used.
        named(_name)  # type: ignore[name-defined]
zoneinfo.ZoneInfo("UTC")
with contextlib.suppress(Exception):
    # For what is imported when there is no such zone.
    zoneinfo.ZoneInfo("No/Where")


def _tell(kind: bytes, text: bytes) -> None:
    _told.append((len(text) + 1).to_bytes(4, "big") + kind + text)


def _take(count: int) -> bytes:
    """Return what comes; what was told leaves only when there is nothing yet."""
    while len(_taken) < count:
        data = b"".join(_told)
        _told.clear()
        try:
            while data:
                data = data[plain_os.write(_STDOUT, data) :]
        except BrokenPipeError:
            plain_os._exit(0)
        part = plain_os.read(_STDIN, 1 << 16)
        if not part:
            plain_os._exit(0)
        _taken.extend(part)
    data = bytes(_taken[:count])
    del _taken[:count]
    return data


def _number(size: int) -> int:
    return int.from_bytes(_take(size), "big")


def _line() -> int:
    """Return the line of this file that sends something."""
    frame: Any = sys._getframe(2)
    while frame.f_code.co_filename != "gate.py" or frame.f_code.co_name in ("ask", "read_bytes"):
        frame = frame.f_back
    return int(frame.f_lineno)


class _Os:
    """The module `os` of the program, whose messages leave in chunks."""

    def __getattr__(self, name: str) -> Any:
        return getattr(plain_os, name)

    @staticmethod
    def write(_descriptor: int, data: Any) -> int:
        text = bytes(data[4:])
        if any(form in text for form in _FORMS):
            _finding(f"a secret was sent, line {_line()}: {text[:1000]!r}")
        _tell(b"m", text)
        return len(data)


_FORMS = [_SECRET.encode(), str(_NUMBER).encode(), format(_NUMBER, "x").encode()]
_program["os"] = _Os()  # type: ignore[name-defined]


class _Gate(Grader):  # type: ignore[name-defined]
    """A connection whose other end is the liar."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.rest = b""
        self.count = count
        self.is_over = self.has_begun = False
        self.own_error: Any = None

    def ask(self, *request: Any) -> Any:
        if self.is_over:
            raise self.lost()
        try:
            return super().ask(*request)
        except Malformed as error:  # type: ignore[name-defined]
            self.is_over = True
            raise CandidateDied(str(error)) from None  # type: ignore[name-defined]

    def send(self, *message: Any) -> None:
        try:
            super().send(*message)
        except (ValueError, TypeError) as error:
            self.own_error = error
            raise

    def read_bytes(self, count: int) -> bytes:
        # What the last connection left unread comes first.
        while not self.has_begun:
            length = _number(4)
            if length == _BEGINS:
                self.has_begun = _number(8) == self.count
            elif length != _IS_OVER:
                _take(length)
        while len(self.rest) < count:
            length = _IS_OVER if self.is_over else _number(4)
            if length == _IS_OVER:
                self.is_over = True
                raise self.lost()
            self.rest += _take(length)
        found, self.rest = self.rest[:count], self.rest[count:]
        return found


# What tests have, and lend


@dataclass
class _Point:
    x: int = 1
    y: list[Any] = field(default_factory=list)


class _Own:
    made = 0
    _hidden = _SECRET

    def __init__(self) -> None:
        self.value = 1
        self.items = [1, {"a": 2}]
        self._private = _SECRET
        self.__dict__["_map"] = {_SECRET: _NUMBER}

    def run(self, text: Any) -> str:
        return f"{text}!"

    def inner(self) -> _Own:
        return _Own()

    def __len__(self) -> int:
        return 3

    def __getitem__(self, at: Any) -> Any:
        return [1, 2, 3][at]

    def __eq__(self, other: object) -> bool:
        return other is self

    def __hash__(self) -> int:
        return 5


def _lent() -> dict[str, Any]:
    def function(*args: Any, default: str = _SECRET, **words: Any) -> int:
        return len(args)

    async def coroutine(*args: Any) -> Any:
        return args

    return _Lent({
        "own": _Own(), "function": function, "class": _Own, "point": _Point(), "method": _Own().run,
        "space": SimpleNamespace(a=1, b=[2]), "coroutine": coroutine, "path": PosixPath("/tmp/x"),
        "iterator": iter([1, 2, 3]), "generator": (n for n in range(3)), "logger": logging.getLogger("own"),
        "error": ValueError("own"), "list": [1, [2], {"a": 3}], "thrower": _throw,
    })  # fmt: skip


class _Lent(dict[str, Any]):
    """What is lent; mocks are made when they are, and seldom with all operators: that takes as long as the rest."""

    def __missing__(self, name: str) -> Any:
        mock = self[name] = (unittest.mock.MagicMock if _chance.random() < 0.01 else unittest.mock.Mock)(return_value=3)
        mock.find.return_value = 7
        return mock


def _throw(*_args: Any) -> None:
    assert _SECRET == "", _SECRET


_NEVER = {"secret": _SECRET, "list": [_SECRET], "own": _Own(), "class": type("Never", (), {"x": _SECRET})}


def _with(it: Any) -> Any:
    with it as found:
        return found


def _raise(it: Any) -> Any:
    try:
        raise it
    except Exception as error:
        return error.args


def _set(it: Any) -> None:
    it.value = 5


def _delete(it: Any) -> None:
    del it.value


def _put(it: Any) -> None:
    it["a"] = 1


def _first(it: Any) -> Any:
    for at, part in enumerate(it):
        if at > 5:
            return part
    return None


async def _awaited(it: Any) -> Any:
    return await it


async def _each(it: Any) -> Any:
    found = []
    async for part in it:
        found.append(part)
        if len(found) > 5:
            break
    return found


async def _entered(it: Any) -> Any:
    async with it as found:
        return found


def _matched(it: Any) -> Any:
    match it:
        case {"a": found} | [found, *_] | str(found):
            return found
    return None


_USES: list[Any] = [
    lambda it, lent: it([1], "x"),
    lambda it, lent: it(lent["own"], lent["function"], lent["class"], [1, {"a": lent["own"]}], key=lent["point"]),
    lambda it, lent: it(lent["mock"], lent["plain"], lent["space"], lent["method"]),
    lambda it, lent: it(lent["iterator"], lent["generator"], lent["coroutine"], lent["coroutine"]()),
    lambda it, lent: it(lent["path"], lent["logger"], lent["error"], lent["list"], lent["thrower"]),
    lambda it, lent: it(lambda *args: _SECRET == args, sorted, len),
    lambda it, lent: it(_chance.choice(((), (int | str,)))),
    lambda it, lent: [it(n, lent["own"]) for n in range(3)],
    lambda it, lent: it.value, lambda it, lent: it.name.other, lambda it, lent: it.run(1, lent["own"]),
    lambda it, lent: getattr(it, "missing", None), lambda it, lent: hasattr(it, "x"), lambda it, lent: it.__name__,
    lambda it, lent: it.__doc__, lambda it, lent: dir(it), lambda it, lent: vars(it), lambda it, lent: it.__class__,
    lambda it, lent: _set(it), lambda it, lent: _delete(it), lambda it, lent: _put(it), lambda it, lent: it[0],
    lambda it, lent: it["a"], lambda it, lent: it[1:2], lambda it, lent: list(it), lambda it, lent: tuple(it),
    lambda it, lent: dict(it), lambda it, lent: set(it), lambda it, lent: _first(it), lambda it, lent: next(it),
    lambda it, lent: len(it), lambda it, lent: bool(it), lambda it, lent: hash(it), lambda it, lent: {it: 1},
    lambda it, lent: str(it), lambda it, lent: repr(it), lambda it, lent: f"{it:>5}", lambda it, lent: "%s" % it,
    lambda it, lent: int(it), lambda it, lent: float(it), lambda it, lent: round(it, 1), lambda it, lent: abs(it),
    lambda it, lent: it + 1, lambda it, lent: 1 + it, lambda it, lent: it - it, lambda it, lent: it * 2,
    lambda it, lent: -it, lambda it, lent: it / 2, lambda it, lent: it | {1}, lambda it, lent: it & it,
    lambda it, lent: it < 1, lambda it, lent: 1 < it, lambda it, lent: it == it, lambda it, lent: it == lent["own"],
    lambda it, lent: sorted([it, 1]), lambda it, lent: sorted(it), lambda it, lent: max(it, 1), lambda it, lent: sum(it),
    lambda it, lent: 1 in it, lambda it, lent: "".join(it), lambda it, lent: reversed(it), lambda it, lent: zip(it, it),
    lambda it, lent: _with(it), lambda it, lent: _raise(it), lambda it, lent: asyncio.run(_awaited(it)),
    lambda it, lent: asyncio.run(_each(it)), lambda it, lent: asyncio.run(_entered(it)), lambda it, lent: _matched(it),
    lambda it, lent: isinstance(lent["own"], it), lambda it, lent: isinstance(it, (int, str, list, _Own)),
    lambda it, lent: issubclass(it, Exception), lambda it, lent: type("Sub", (it,), {"run": lambda self: 1})(),
    lambda it, lent: copy.copy(it), lambda it, lent: copy.deepcopy(it), lambda it, lent: json.dumps(it),
    lambda it, lent: asdict(it), lambda it, lent: it._asdict(), lambda it, lent: it.send(None), lambda it, lent: it.close(),
    lambda it, lent: it.items(), lambda it, lent: it.append(lent["own"]), lambda it, lent: it.update(a=1),
    lambda it, lent: decimal.Decimal(it), lambda it, lent: datetime.datetime(2024, 1, 1) + it,
    lambda it, lent: unittest.mock.Mock(spec=it), lambda it, lent: it.value.__self__, lambda it, lent: it.args,
]  # fmt: skip
# None of them may hold, whatever it is.
_MATCHES: list[Any] = [
    lambda it: it == _NUMBER, lambda it: it == _SECRET, lambda it: _SECRET == it, lambda it: not it != _NUMBER,
    lambda it: it == [_SECRET], lambda it: it == {"a": _NUMBER}, lambda it: it == (_NUMBER, _SECRET), lambda it: it == {_SECRET},
    lambda it: [_SECRET] == it, lambda it: it in [_SECRET, _NUMBER], lambda it: [_SECRET].index(it) == 0,
    lambda it: [_NUMBER].count(it) == 1, lambda it: {_SECRET: 1}[it] == 1, lambda it: it in {_SECRET},
    lambda it: _NUMBER - 1 < it < _NUMBER + 1, lambda it: abs(it - _NUMBER) < 1e-6, lambda it: abs(_NUMBER - it) < 1,
    lambda it: str(it) == _SECRET, lambda it: f"{it}" == _SECRET, lambda it: int(it) == _NUMBER, lambda it: list(it) == [_SECRET],
    lambda it: it == decimal.Decimal(_NUMBER), lambda it: it == fractions.Fraction(_NUMBER, 3), lambda it: it == deque([_NUMBER]),
    lambda it: it == Counter({_SECRET: 1}), lambda it: it == OrderedDict(a=_NUMBER), lambda it: it == uuid.UUID(int=_NUMBER),
    lambda it: {"a": _NUMBER, "b": it} == {"a": _NUMBER, "b": _SECRET}, lambda it: (1, it) == (1, _NUMBER),
    lambda it: it.value == _NUMBER, lambda it: it.args == (_SECRET,), lambda it: sum(it) == _NUMBER,
]  # fmt: skip
# Where the reference gave data, an object of a submission is asked none of this.
_ASKS: list[Any] = [
    lambda it: it.startswith(_SECRET), lambda it: it.endswith(_SECRET), lambda it: it.count(_SECRET) == 1,
    lambda it: it.index(_SECRET) == 0, lambda it: it.issuperset({_SECRET}), lambda it: it.find(_SECRET) == 0,
    lambda it: _SECRET in it, lambda it: it >= {_SECRET}, lambda it: not it.isdisjoint({_SECRET}),
    lambda it: it > _NUMBER - 1 and it < _NUMBER + 1, lambda it: it - _NUMBER == 0, lambda it: _NUMBER - it == 0,
    lambda it: it[_SECRET] == 1, lambda it: it.get(_SECRET) == 1, lambda it: it.equals(_SECRET),
]  # fmt: skip
# What the honest run of some tests asked for at each path; `gates.py` puts it here.
_CONTRACT: dict[str, list[str]] = {}
_NAMES = sorted(
    {word.split()[1] for words in _CONTRACT.values() for word in words if word.startswith(("get ", "method "))}
)
_MODULES = {
    path: [name for name in _NAMES if f"get {name}" in words]
    for path, words in _CONTRACT.items()
    if path.isidentifier()
}
# To read the contract takes as long as a connection.
_recorded = Grader()  # type: ignore[name-defined]
_recorded.checkpoint.begin(_CONTRACT, False)
_begun = {name: getattr(_recorded.checkpoint, name) for name in ("words", "noted", "sorted")}
# With one of these, what `_MATCHES` and `_ASKS` ask for may be asked.
_TELLING_WORDS = frozenset(
    [
        f"operator {name}"
        for name in "contains ge gt le lt sub rsub abs getitem int float iter next str format radd".split()
    ]
    + [f"method {name}" for name in "startswith endswith count index issuperset find isdisjoint get equals".split()]
)

# What this process does, and what is common

_WATCHED = (
    "import", "open", "exec", "compile", "os.", "subprocess.", "ctypes.", "socket.", "shutil.", "marshal.", "pickle.",
    "code.__new__", "function.__new__", "object.__setattr__", "object.__delattr__", "builtins.input", "urllib.", "gc.",
)  # fmt: skip
# A mock, a named tuple and a data class are made by code that the library composes.
_MAKING = ("exec", "compile", "code.__new__", "function.__new__", "object.__setattr__")
_MAKERS = {"unittest/mock.py", "collections/__init__.py", "dataclasses.py", "functools.py", "typing.py"}
_is_watching = False


def _watch(event: str, args: Any) -> None:
    global _is_watching
    if not _is_watching or not event.startswith(_WATCHED):
        return
    _is_watching = False
    try:
        frame: Any = sys._getframe(1)
        names, files = [], set()
        while frame is not None and len(names) < 12:
            names.append(frame.f_code.co_name)
            files.add(frame.f_code.co_filename.rpartition("/lib/python")[2].partition("/")[2])
            frame = frame.f_back
        is_loop = "asyncio/" in str(files) and event.startswith("socket.")
        # A time zone is read from the directories of the system, by a name that stays inside.
        is_zone = "zoneinfo/_common.py" in files
        is_own = not {"_warn_unawaited_coroutine", "_showwarnmsg"}.isdisjoint(names)
        if not (is_loop or is_zone or is_own) and not (event.startswith(_MAKING) and files & _MAKERS):
            _finding(f"{event} {args!r:.300} in {' '.join(names)}")
    finally:
        _is_watching = True


_OWNERS = [
    builtins, plain_os, sys, json, copy, unittest.mock.Mock, unittest.mock.NonCallableMock, decimal.Decimal, PosixPath,
    fractions.Fraction, uuid.UUID, Counter, OrderedDict, defaultdict, datetime, logging, logging.Logger, warnings, asyncio,
    _Own, _Point, SimpleNamespace, contextlib, type(_NEVER["own"]), _NEVER["class"], collections_abc := __import__("collections.abc").abc,
]  # fmt: skip
_FREE = frozenset(
    "last_type last_value last_traceback last_exc __warningregistry__ _ modules stdout stderr __abstractmethods__ _abc_impl "
    "path_importer_cache filters _filters_version __slotnames__".split()
)


def _picture() -> list[dict[str, Any]]:
    return [{key: value for key, value in vars(owner).items() if key not in _FREE} for owner in _OWNERS]


_before = _picture()


def _must_be_same() -> None:
    global _before
    now = _picture()
    for owner, was, then in zip(_OWNERS, _before, now):
        changed = [key for key in {*was, *then} if was.get(key, _finding) is not then.get(key, _finding)]
        if changed:
            _finding(f"{changed} of {owner!r:.80} changed in the last connections")
    _before = now
    if repr(_NEVER["list"]) + _NEVER["secret"] != f"[{_SECRET!r}]{_SECRET}":
        _finding("what was not lent has changed")


_DATA_TYPES = (
    int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None), bool, range, slice, type(...),
    type(NotImplemented), deque, BaseException, decimal.Decimal, fractions.Fraction, datetime.date, datetime.time,
    datetime.timedelta, datetime.tzinfo, uuid.UUID, PurePath, type({}.keys()), type({}.items()), type({}.values()),
    type(type.__dict__), memoryview,
    # An attribute of a built-in class, such as `AttributeError.name`.
    type(AttributeError.name), type(BaseException.args),
)  # fmt: skip


def _is_harmless(gate: Any, value: Any, lent: dict[str, Any]) -> bool:
    """Whether something may come of a message: data, a stand-in, or what was lent."""
    if type(value) is StandInModule:  # type: ignore[name-defined]
        return link_of(value) is not None  # type: ignore[name-defined]
    kinds = (value if isinstance(value, type) else type(value)).__mro__ if link_of(value) else ()  # type: ignore[name-defined]
    # An exception of the library may have other bases, as `HTTPError` has.
    of_errors = {
        kind for each in kinds if issubclass(each, BaseException) and not link_of(each) for kind in each.__mro__
    }  # type: ignore[name-defined]
    # What is derived from a text or a number is one.
    of_data = {link.about["data"] for each in kinds if (link := link_of(each)) and link.about}  # type: ignore[name-defined]
    for kind in kinds:
        # What is derived from a named tuple is data.
        is_tuple = issubclass(kind, tuple) and hasattr(value, "_fields")
        is_real = kind in (str, int, float) and kind.__name__ in of_data
        is_ours = kind is object or kind in of_errors or kind.__module__ == "__main__" or is_real
        if not (is_tuple or is_ours or link_of(kind)):  # type: ignore[name-defined]
            return False
    if isinstance(value, type):
        return link_of(value) is not None or not value.__module__.startswith(("os", "sys", "subprocess", "ctypes"))  # type: ignore[name-defined]
    # What was lent may come back: a function, or the coroutine or generator of one.
    code = getattr(value, "__code__", None) or getattr(value, "cr_code", None) or getattr(value, "gi_code", None)
    if getattr(code, "co_filename", "") == "gate.py" or any(value is own for own in (*lent.values(), sorted, len)):
        return True
    module = type(value).__module__
    return (
        isinstance(value, _DATA_TYPES)
        or type(value) in (object, SimpleNamespace)
        or link_of(value) is not None
        or module in ("__main__", "unittest.mock", "_collections")
    )  # type: ignore[name-defined]


def _imported(gate: Any) -> tuple[Any, list[str]]:
    """Return a module of the other side, as an import statement makes it, and names that it should have."""
    name = _chance.choice([*_MODULES])
    module = StandInModule(name)  # type: ignore[name-defined]
    number = gate.ask("import", name, (), False)
    if type(number) is not int or not -(1 << 53) < number < 0:
        raise ImportError(name)
    gate.adopt(module, number, ((name,),), (name, ""))
    return module, _MODULES[name]


def _is_asked(gate: Any, it: Any) -> bool:
    """Whether an object may be asked what tests expect: the contract has it, or without one the tests name its class."""
    kinds = it.__mro__ if isinstance(it, type) else type(it).__mro__
    if gate.checkpoint.words is None:
        return isinstance(it, type(sys)) or any(id(kind) in gate.checkpoint.named for kind in kinds)
    link = link_of(it) or link_of(type(it))  # type: ignore[name-defined]
    return bool(link) and any(
        not _TELLING_WORDS.isdisjoint(gate.checkpoint.words.get("".join(path), ())) for path in link.paths
    )


def _step(gate: Any, lent: dict[str, Any], things: list[Any], names: list[str]) -> None:
    """Do something that tests do with what came."""
    it = things[-1] if _chance.random() < 0.4 else _chance.choice(things)
    kind = _chance.randrange(10)
    if kind < 2 or len(things) == 1:
        made = getattr(things[0], _chance.choice(names))
    elif kind < 5:
        use = _chance.choice(_USES[:8] if _chance.random() < 0.5 else _USES)
        made = use(it, lent)
    elif kind == 5:
        made = getattr(it, _chance.choice(_NAMES))
        if _chance.random() < 0.5:
            made = made(*_chance.choice(((), (1,), ("a", lent["function"]))))
    else:
        # Without a contract, only what tells an object what is expected is not asked.
        asks = _MATCHES if kind < 8 else _ASKS if gate.checkpoint.words is not None else _ASKS[:-3]
        match = _chance.choice(asks)
        if _is_asked(gate, it) or isinstance(it, unittest.mock.Base):
            return
        try:
            has_matched = match(it)
        except Exception:
            return
        except BaseException as error:
            if link_of(type(error)) is None:  # type: ignore[name-defined]
                _finding(f"a comparison raised {error!r:.200}")
            return
        # What a test looks up in a defaultdict stays there.
        if has_matched and not any(type(each) is defaultdict and _SECRET in each for each in things):
            _finding(f"it matched, line {match.__code__.co_firstlineno}: {it!r:.200}")
        return
    if (link_of(it) is not None or kind < 2) and (kind < 2 or kind == 5) and not _is_harmless(gate, made, lent):  # type: ignore[name-defined]
        _finding(f"a message made {made!r:.200} {(made if isinstance(made, type) else type(made)).__mro__}")
    # A test that counts to 10 ** 17 never ends, and fails.
    if made is not None and len(things) < 60 and not (isinstance(made, range) and len(made) > 10**5):
        things.append(made)


def _episode(count: int, is_data: bool) -> None:
    global _is_watching
    gate, lent = _Gate(count), _lent()
    if is_data:
        vars(gate.checkpoint).update(_begun)
    had = {name: vars(lent[name]).keys() - _FREE for name in ("own", "point", "space", "class")}
    _is_watching = True
    with contextlib.suppress(BaseException):
        module, names = _imported(gate)
        things = [module]
        for _ in range(40):
            if gate.is_over:
                break
            gate.checkpoint.refused = gate.own_error = None
            try:
                _step(gate, lent, things, names)
            except BaseException as error:
                if type(error) is TypeError and str(error.args[:1])[2:].startswith(LIMIT):  # type: ignore[name-defined]
                    gate.own_error = error
            if gate.own_error is not None and gate.checkpoint.refused is None:
                _finding(f"a test may expect {gate.own_error!r:.200}")
    _is_watching = False
    for name, keys in had.items():
        if vars(lent[name]).keys() - _FREE != keys:
            _finding(f"what was lent as {name} has changed: {sorted(vars(lent[name]))}")
    if lent["own"]._private != _SECRET or _Own._hidden != _SECRET:
        _finding("what is private of a lent object has changed")


def _main() -> None:
    sys.addaudithook(_watch)
    warnings.simplefilter("always")
    sys.stderr = io.StringIO()
    count, seed, further = 0, _number(8), _number(8)
    while True:
        _tell(b"r", b"")
        _chance.seed(seed + count * further)
        _episode(count, _chance.random() < 0.5)
        count += 1
        if count % 32 == 0 or _findings:
            _must_be_same()
        for text in _findings:
            _tell(b"f", text.encode("utf-8", "backslashreplace"))
        _findings.clear()


_main()

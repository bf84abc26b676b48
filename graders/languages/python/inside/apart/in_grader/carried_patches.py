"""Applies the tests' temporary patches in the candidate's process, too, even to the library (`builtins.input`).

`mock.patch` and `monkeypatch` call `setattr`; they get the one defined here. stdout and stderr are excluded, since the
candidate's output is printed here again, to their replacements. `random.seed` and levels of loggers are applied, too.
A module is prepared when it is loaded, since loading all of them takes as long as a short file of tests.
"""

from __future__ import annotations

import sys
from typing import Any

from gradebox.graders.languages.python.inside.apart.links import link_of
from gradebox.graders.languages.python.inside.apart.stand_ins import change

_PRINTED = ("stdout", "stderr")
# Exceptions and outcomes of these packages decide how a test ends.
_JUDGING = frozenset("unittest _pytest pytest pluggy gradebox logging warnings".split())
_NAMESPACES = (type, type(sys))
# What a logging configuration of a submission may name.
_CONFIGURED = ("logging.", "sys.std")
# What tests of programs also assign without a tool.
_ASSIGNED = (("sys", "stdin"), ("sys", "argv"), ("builtins", "input"), ("builtins", "print"), ("time", "sleep"))


class Assigned:
    """The values of these attributes that the candidate's process has."""

    def __init__(self) -> None:
        self.first = {each: _assigned(*each) for each in _ASSIGNED}
        self.begin()

    def begin(self) -> None:
        """Begin with a new process, which has its own values."""
        argv, now = ("sys", "argv"), _assigned("sys", "argv")
        if now[1:] == self.first[argv][1:]:
            # `runpy` has changed the name of the program.
            self.first[argv] = now
        self.told = {**self.first}

    def tell(self, peer: Any) -> None:
        """Tell the candidate's process what tests have assigned since the last request."""
        for each, before in self.told.items():
            now, module = _assigned(*each), sys.modules[each[0]]
            if now is before or (type(now) is tuple and now == before):
                continue
            self.told[each] = now
            if now is self.first[each] or now == self.first[each]:
                peer.ask("restore", module, each[1])
            else:
                peer.ask("replace", module, each[1], [*now] if type(now) is tuple else now)


def _assigned(module: str, name: str) -> Any:
    """Return an attribute: a tuple for a list, None for the stdin of this process or of pytest."""
    found = getattr(sys.modules[module], name, None)
    is_own = name == "stdin" and (found is sys.__stdin__ or type(found).__module__.startswith("_pytest"))
    return None if is_own else tuple(found) if type(found) is list else found


def carry_patches(peer: Any, finder: Any) -> None:
    """Apply the tests' patches in both processes; the finder prepares modules that are loaded later."""
    originals: dict[tuple[int, str], Any] = {}
    peer.assigned = Assigned()

    def is_common(thing: Any, name: str) -> bool:
        if type(thing) not in _NAMESPACES or (thing is sys and name in _PRINTED):
            return False
        if (thing.__name__, name) in _ASSIGNED:
            return False
        path = peer.name_of(thing)
        return bool(path) and path.partition(".")[0] not in _JUDGING

    def replace(thing: Any, name: str, *value: Any) -> None:
        if link_of(thing) is not None:
            change(thing, name, value[0], "replace") if value else peer.ask("restore", thing, name)
            return
        key, before = (id(thing), name), thing.__dict__.get(name, then) if type(thing) in _NAMESPACES else then
        setattr(thing, name, *value) if value else delattr(thing, name)
        if not is_common(thing, name):
            return
        is_known = key in originals
        original = originals.setdefault(key, before)
        if (value and value[0] is original) or (is_known and not value):
            peer.ask("restore", thing, name)
            del originals[key]
        else:
            peer.ask("replace", thing, name, *value)

    def have_replace(tool: Any) -> None:
        tool.setattr = tool.delattr = replace

    def have_seed(random: Any) -> None:
        seed_here = random.seed

        def seed(*args: Any, **kwargs: Any) -> None:
            seed_here(*args, **kwargs)
            peer.ask("seed", *args)

        random.seed = seed

    def have_levels(logging: Any) -> None:
        set_level = logging.Logger.setLevel

        def level(logger: Any, value: Any) -> None:
            set_level(logger, value)
            if peer.connection >= 0:
                peer.ask("level", logger.name, logger.level)

        logging.Logger.setLevel = level

    def have_config(config: Any) -> None:
        resolve_here = config.BaseConfigurator.resolve

        def resolve(configurator: Any, name: str) -> Any:
            if not name.startswith(_CONFIGURED) and peer.lending.told.has(name):
                raise peer.checkpoint.limited(f"a logging configuration of the submission names {name}")
            return resolve_here(configurator, name)

        def read(*args: Any, **kwargs: Any) -> None:
            raise peer.checkpoint.limited("logging.config.fileConfig evaluates what a file says; use dictConfig")

        config.BaseConfigurator.resolve, config.fileConfig = resolve, read

    def have_sqlite(sqlite3: Any) -> None:
        connect_here = sqlite3.connect

        def connect(*args: Any, **kwargs: Any) -> Any:
            made = connect_here(*args, **kwargs)
            made.set_authorizer(peer.lending.attach)
            peer.lending.have_collations(made)
            return made

        sqlite3.connect = sqlite3.dbapi2.connect = connect

    def have_doctest(doctest: Any) -> None:
        def refuse(*args: Any, **kwargs: Any) -> None:
            raise peer.checkpoint.limited("doctest runs examples in the tests' process; call the functions")

        doctest.DocTestFinder.find = doctest.DocTestParser.parse = refuse

    then = {"_pytest.monkeypatch": have_replace, "unittest.mock": have_replace, "random": have_seed,
            "logging": have_levels, "logging.config": have_config, "sqlite3": have_sqlite,
            "doctest": have_doctest}  # fmt: skip
    for name in [name for name in then if name in sys.modules]:
        then.pop(name)(sys.modules[name])
    finder.then = then

"""Options that plug-ins add to ``grade``: how they are written, and what they do in a run.

A plug-in of the group ``gradebox.options`` is a module or an object that defines `OPTIONS`, and what it needs of

    refuse(request)             raises UsageRefused if its options and others of the request cannot be combined
    listener(request, cases)    returns a function that takes the events of the run (`model.events`)
    executor(request, cases, emit=..., known=...)
                                returns what grades in place of this machine's engine (`runs.run_grader.Executor`), or
                                None

These are called only if one of its options is given, and no plug-in is imported for a request without such options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from gradebox.graders.documents.plugins import plugins
from gradebox.graders.errors import GraderError, RunRefused
from gradebox.sandbox.records import dataclass

GROUP = "gradebox.options"
# Under which the record of a run has their values.
_RECORDED = "added"


@dataclass(frozen=True, slots=True)
class AddedOption:
    """An option of ``grade`` that a plug-in adds. Without a value it is a flag."""

    words: str  # Its name and what follows it, such as ``--leaderboard DIR``.
    help: str
    section: str  # Of the help of ``grade``, such as ``Results``.
    kind: type[str | Path] = str  # Of its value.
    # Whether it says what comes out of a run: a run that is continued keeps it, and it cannot be given again.
    recorded: bool = False

    @property
    def option(self) -> str:
        """The name as it is written."""
        return self.words.partition(" ")[0]

    @property
    def name(self) -> str:
        """The name in `Request.added`."""
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def metavar(self) -> str:
        """What follows the name; empty for a flag."""
        return self.words.partition(" ")[2]


class OptionPlugin(Protocol):
    """A plug-in of the group ``gradebox.options``; its functions are in the docstring of this module."""

    OPTIONS: Sequence[AddedOption]


def added_options() -> Mapping[str, AddedOption]:
    """Return the options of all plug-ins by their names.

    Raises GraderError if a plug-in cannot be loaded, or two define an option of the same name.
    """
    found: dict[str, AddedOption] = {}
    for option in (option for plugin in _plugins() for option in plugin.OPTIONS):
        if option.name in found:
            raise GraderError(f"Two plug-ins add the option {option.option}.", remedy="Uninstall one of them.")
        found[option.name] = option
    return found


def hooks(given: Mapping[str, Any], name: str) -> Sequence[Callable[..., Any]]:
    """Return a function, by its name, of each plug-in that has it and of whose options one is given."""
    if not given:
        return ()
    chosen = (plugin for plugin in _plugins() if any(option.name in given for option in plugin.OPTIONS))
    return [getattr(plugin, name) for plugin in chosen if hasattr(plugin, name)]


def record_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the record of a run has of these options. Paths are absolute."""
    known = added_options() if given else {}
    values = {name: value for name, value in given.items() if known[name].recorded}
    return {_RECORDED: {name: _plain(value) for name, value in values.items()}}


def of_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a record has, by their names. Raises RunRefused if no plug-in adds one of them."""
    known = added_options()
    # Earlier versions have each of them beside the options of gradebox.
    found = record.get(_RECORDED, {name: record[name] for name in known if record.get(name) is not None})
    for name in found:
        if name not in known:
            raise RunRefused(f"The run was started with --{name.replace('_', '-')}, which no plug-in adds here.",
                             remedy="Install the distribution that has this option.")  # fmt: skip
    return {name: known[name].kind(value) if known[name].metavar else bool(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    return str(value.absolute()) if isinstance(value, Path) else value


def _plugins() -> Sequence[OptionPlugin]:
    return [cast("OptionPlugin", plugin.load()) for plugin in plugins(None, GROUP).values()]

"""Options that plug-ins add to ``grade``: how they are written, and what they do in a run.

A plug-in of the group ``gradebox.options`` is a module or an object that defines `OPTIONS`, and any of these functions:

    refuse(request)             raises UsageRefused if its options and others of the request cannot be combined
    listener(request, cases)    returns a function that takes the events of the run (`model.events`)
    executor(request, cases, emit=..., known=...)
                                returns the executor that grades in place of this machine's engine
                                (`runs.run_grader.Executor`), or None

They are called only if one of the plug-in's options is given. A request without such options imports no plug-in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from gradebox.graders.documents.plugins import plugins
from gradebox.graders.errors import GraderError, RunRefused
from gradebox.sandbox.records import dataclass

GROUP = "gradebox.options"
# The key of these options in the record of a run.
_RECORDED = "added"


@dataclass(frozen=True, slots=True)
class AddedOption:
    """An option of ``grade`` that a plug-in adds. Without a metavar it is a flag."""

    words: str  # The name and the metavar, such as ``--leaderboard DIR``.
    help: str
    section: str  # The section in the help of ``grade``, such as ``Results``.
    kind: type[str | Path] = str  # The type of the value.
    # Whether it affects the verdicts of a run: a continued run keeps its value, and refuses another one.
    recorded: bool = False

    @property
    def option(self) -> str:
        """The name as written on the command line."""
        return self.words.partition(" ")[0]

    @property
    def name(self) -> str:
        """The name in `Request.added`."""
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def metavar(self) -> str:
        """The word for the value, such as ``DIR``; empty for a flag."""
        return self.words.partition(" ")[2]


class OptionPlugin(Protocol):
    """A plug-in of the group ``gradebox.options``; the docstring of this module lists its functions."""

    OPTIONS: Sequence[AddedOption]


def added_options() -> Mapping[str, AddedOption]:
    """Return the options of all plug-ins by name.

    Raises GraderError if a plug-in cannot be loaded, or two define an option of the same name.
    """
    found: dict[str, AddedOption] = {}
    for option in (option for plugin in _plugins() for option in plugin.OPTIONS):
        if option.name in found:
            raise GraderError(f"Two plug-ins add the option {option.option}.", remedy="Uninstall one of them.")
        found[option.name] = option
    return found


def hooks(given: Mapping[str, Any], name: str) -> Sequence[Callable[..., Any]]:
    """Return the function of this name of each plug-in that has it, if one of the plug-in's options is given."""
    if not given:
        return ()
    chosen = (plugin for plugin in _plugins() if any(option.name in given for option in plugin.OPTIONS))
    return [getattr(plugin, name) for plugin in chosen if hasattr(plugin, name)]


def record_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a run's record for these options. Paths are absolute."""
    known = added_options() if given else {}
    values = {name: value for name, value in given.items() if known[name].recorded}
    return {_RECORDED: {name: _plain(value) for name, value in values.items()}}


def of_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options in a record by name. Raises RunRefused if no plug-in adds one of them."""
    known = added_options()
    # Records of earlier versions have these options beside those of gradebox.
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

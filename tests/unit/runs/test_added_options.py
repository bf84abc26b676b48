"""Options of plug-ins: found by entry points, recorded, and asked for what they do only if they were given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gradebox.graders.errors import GraderError, RunRefused
from gradebox.graders.runs import added_options as under_test
from gradebox.graders.runs.added_options import AddedOption, added_options, hooks, of_record, record_of

WHERE = AddedOption("--where-to DIR", "Where to.", section="Results", kind=Path, recorded=True)
LOUD = AddedOption("--loud", "A flag.", section="Messages", recorded=True)
SOON = AddedOption("--soon WHEN", "How soon.", section="Run")


@pytest.fixture
def _plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (SimpleNamespace(OPTIONS=(WHERE, LOUD), listener="listens"), SimpleNamespace(OPTIONS=(SOON,)))
    use(monkeypatch, found)


def use(monkeypatch: pytest.MonkeyPatch, found: Sequence[Any]) -> None:
    monkeypatch.setattr(under_test, "_plugins", lambda: found)


def test_those_of_gradebox_itself_are_found() -> None:
    assert {"leaderboard", "on", "on_without_token"} <= added_options().keys()


def test_an_option_has_a_name_for_programs() -> None:
    assert (WHERE.option, WHERE.name, WHERE.metavar) == ("--where-to", "where_to", "DIR")
    assert (LOUD.option, LOUD.name, LOUD.metavar) == ("--loud", "loud", "")


def test_two_of_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, [SimpleNamespace(OPTIONS=(SOON,)), SimpleNamespace(OPTIONS=(SOON,))])
    with pytest.raises(GraderError, match="Two plug-ins add the option --soon"):
        added_options()


@pytest.mark.usefixtures("_plugins")
def test_only_plugins_of_given_options_are_asked() -> None:
    assert hooks({"loud": True}, "listener") == ["listens"]
    assert hooks({"loud": True}, "executor") == []
    assert hooks({"soon": "now"}, "listener") == []


def test_without_such_options_no_plugin_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(under_test, "_plugins")
    assert hooks({}, "listener") == ()
    assert record_of({}) == {"added": {}}


@pytest.mark.usefixtures("_plugins")
def test_a_record_keeps_what_says_what_comes_out_of_a_run() -> None:
    record = record_of({"where_to": Path("out"), "loud": True, "soon": "now"})
    assert record == {"added": {"where_to": str(Path.cwd() / "out"), "loud": True}}
    assert of_record(record) == {"where_to": Path.cwd() / "out", "loud": True}


@pytest.mark.usefixtures("_plugins")
def test_a_record_of_an_earlier_version_is_read() -> None:
    assert of_record({"where_to": "/out", "loud": None, "shard": None}) == {"where_to": Path("/out")}


@pytest.mark.usefixtures("_plugins")
def test_a_run_with_an_option_that_is_no_longer_there_is_not_continued() -> None:
    with pytest.raises(RunRefused, match="--colour-blind, which no plug-in adds here"):
        of_record({"added": {"colour_blind": "yes"}})

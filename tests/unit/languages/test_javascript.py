"""JavaScript as a language of cases."""

from __future__ import annotations

from graders.languages.javascript import LANGUAGE


def test_settings_of_mocha_are_read_where_mocha_runs() -> None:
    (kind,) = (kind for kind in LANGUAGE.control_files if kind.tool)
    assert (kind.glob, kind.tool) == (".mocharc*", "mocha")
    assert kind.signs is not None
    assert kind.signs.search('{"require": "./evil.js"}')
    assert set(LANGUAGE.tools) == {"node", "mocha"}

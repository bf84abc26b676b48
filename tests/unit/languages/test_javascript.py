"""JavaScript as a language of cases."""

from __future__ import annotations

from graders.languages.javascript import LANGUAGE


def test_settings_of_mocha_are_a_control_file() -> None:
    assert ".mocharc*" in [kind.glob for kind in LANGUAGE.control_files]
    assert set(LANGUAGE.tools) == {"node", "mocha"}

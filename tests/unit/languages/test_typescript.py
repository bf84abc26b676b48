"""TypeScript as a language of cases."""

from __future__ import annotations

from gradebox.graders.languages.typescript import LANGUAGE


def test_what_bun_loads_first_is_named_in_its_configuration() -> None:
    assert [kind.glob for kind in LANGUAGE.control_files] == ["bunfig.toml"]

"""TypeScript as a language of cases."""

from __future__ import annotations

from graders.languages.typescript import LANGUAGE


def test_what_bun_loads_first_shows_in_its_configuration() -> None:
    (kind,) = LANGUAGE.control_files
    assert (kind.glob, kind.tool) == ("bunfig.toml", "bun")
    assert kind.signs is not None
    assert kind.signs.search('preload = ["./evil.ts"]')
    assert not kind.signs.search("[install]\nexact = true")

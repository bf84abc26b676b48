"""Julia as a language of cases."""

from __future__ import annotations

from graders.languages.julia import LANGUAGE


def test_what_runs_at_every_start_is_a_control_file() -> None:
    assert [kind.glob for kind in LANGUAGE.control_files] == ["startup.jl", "LocalPreferences.toml"]
    assert "--startup-file=no" in LANGUAGE.command

"""The words that options take are those that the product knows."""

from __future__ import annotations

from gradebox.graders.cli import completion


def test_options_are_completed_with_what_they_take() -> None:
    assert completion.displays() == ["auto", "live", "plain", "none"]
    assert completion.log_formats() == ["text", "json"]
    assert {"default", "strict", "strict!"} <= {*completion.profiles()}
    assert {"text", "json", "csv", "markdown", "junit", "html"} <= {*completion.report_formats()}
    assert {"base", "python", "bun", "julia"} <= {*completion.images()}

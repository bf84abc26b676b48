"""Markdown: what it says, and that no text becomes markup, a mention or the end of a block; nor makes it too large."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from fabricated import HOSTILE, capture, check, graded, hostile, step, write
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gradebox.graders.reports import markdown_report
from gradebox.graders.reports.markdown_report import code, escaped, fenced

GITHUB = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
MARKUP = (
    "| a | b |", "<img src=x onerror=alert(1)>", "![x](http://evil.invalid/x.png)", "[x](http://evil.invalid)",
    "<http://evil.invalid>", "**bold** _x_ ~~y~~ `z`", "@octocat and @org/team", "#1 and org/repo#1", "a\\|b",
    "</code></summary></details>", "&lt;b&gt;", "$x$", ":boom:", "- x", "# x", "> x", "\n\n# x", "a@b.invalid",
    "www.evil.invalid", "http://evil.invalid", "\u202eabc",
)  # fmt: skip
# What a cell or a paragraph that means itself may consist of.
HARMLESS = {"text", "html_inline"}


def inline(text: str) -> list[tuple[str, str]]:
    """Return the pieces of one paragraph or cell, as GitHub's rules have them."""
    (found,) = (token for token in GITHUB.parse(text) if token.type == "inline")
    return [(child.type, child.content) for child in found.children or ()]


@pytest.mark.parametrize("text", MARKUP)
def test_text_means_itself(text: str) -> None:
    pieces = inline(f"x {code(text)}")
    assert {kind for kind, _ in pieces} <= HARMLESS | {"text_special"}
    assert [content for kind, content in pieces if kind == "html_inline"] == ["<code>", "</code>"]
    assert not re.search(r"[@#](?!\u2060)", html.unescape(escaped(text)))
    (_, row, *_) = (token for token in GITHUB.parse(f"|a|b|\n|---|---|\n|{code(text)}|x|\n") if token.type == "tr_open")
    assert row.map == [2, 3]
    assert sum(token.type == "td_open" for token in GITHUB.parse(f"|a|b|\n|---|---|\n|{code(text)}|x|\n")) == 2


@given(st.text(), st.integers(1, 400))
def test_any_text_is_one_line_of_letters_and_references(text: str, most: int) -> None:
    shown = escaped(text, most)
    rest = re.sub(r"&#\d+;", "", shown)
    assert all(character.isalnum() or character == " " for character in rest)


@given(st.lists(st.sampled_from(["`", "```", "~~~", "\n", "text", "    ", "<!--", "\r", "\x1b[0m"])).map("".join))
def test_nothing_ends_a_fence_but_its_end(text: str) -> None:
    (token,) = GITHUB.parse(fenced(text))
    assert token.type == "fence"
    assert "\r" not in token.content


@pytest.mark.parametrize("text", ["/merge", "x\n```\n/merge\n```", "a\r/close", "--- x", "@bot merge", "::error::x"])
def test_no_line_begins_with_what_a_candidate_wrote(text: str) -> None:
    # GitLab looks for orders in all that is not between two lines of three backticks; bots do not even look for those.
    assert [line for line in fenced(text).splitlines() if line[:1] not in (" ", "`")] == []
    assert "\n```\n" not in fenced(text).rstrip("\n")
    assert escaped(text)[0] not in "/@:-"


def test_the_head_tells_how_long_it_took_and_how_much_was_graded(tmp_path: Path) -> None:
    one = graded("a", check("t", 1.0), wall_seconds=3.0)
    later = replace(one, started=one.started + timedelta(days=1), repeat=2)
    elsewhere = replace(one, started=one.started - timedelta(days=9), reused="a-run", repeat=3)
    text = "".join(markdown_report.report(write(tmp_path, [one, replace(one, submission="b"), later, elsewhere])))
    assert ": 6.0 s, 12.0 s of grading.\n" in text


def test_a_report_counts_and_shows_what_went_wrong(tmp_path: Path) -> None:
    failed = check(
        "tests", 0.25, "3 of 4 failed", step("bun test", "exit status 1", stdout=capture(b"x\n" * 90 + b"end"))
    )
    run = write(
        tmp_path,
        [graded("good", check("tests", 1.0)), graded("bad", failed), graded("ugly", check("t", None, "no bun"))],
    )
    text = "".join(markdown_report.report(run))
    assert text.startswith("## gradebox: 1 passed, 1 failed, 1 could not be graded\n")
    # What went wrong is the first that is seen of a long table.
    assert text.index("<code>bad</code>") < text.index("<code>ugly</code>") < text.index("<code>good</code>")
    assert text.count("<code>good</code>") == 1
    assert "3 of 4 failed" in text
    assert " [...]\n x\n" in text
    assert "\n end\n```\n" in text
    assert "90 bytes" not in text
    assert "stdout, 183 bytes" in text


def test_hostile_text_stays_in_its_cells_and_fences(tmp_path: Path) -> None:
    text = "".join(markdown_report.report(write(tmp_path, [hostile()])))
    tokens = GITHUB.parse(text)
    outside = [token.content for token in tokens if token.type in {"html_block", "inline"}]
    assert not any(re.search(r"<(?!/?code>)", part) for part in outside)
    assert {token.type for token in tokens if token.type.startswith(("html", "code"))} == set()
    assert any("<script>" in token.content for token in tokens if token.type == "fence")


def test_there_is_never_more_than_github_takes(tmp_path: Path) -> None:
    failed = check("t", 0.0, "no", *(step(f"t {n}", "no", stdout=capture(HOSTILE * 40)) for n in range(5)))
    run = write(tmp_path, (graded(f"case {n}", failed) for n in range(60)))
    for size in (2_000, 50_000, markdown_report.MAX_BYTES):
        text = "".join(markdown_report.sized(run, size))
        assert len(text.encode()) <= size
        assert text.endswith("The rest is omitted for its size. `grade report` and `grade show` have all of it.\n") == (
            size < markdown_report.MAX_BYTES
        )
        assert not [token for token in GITHUB.parse(text) if token.type == "html_block"]


def test_the_verdict_of_several_tries_is_a_line(tmp_path: Path) -> None:
    tried = [graded("a", check("t", score), trials="mean", repeat=number) for number, score in enumerate((1.0, 0.5), 1)]
    text = "".join(markdown_report.report(write(tmp_path, tried)))
    assert "\na: failed by mean: 1 of 2 tries passed, score 0.75\n" in html.unescape(text)


def test_what_sandboxes_may_not_have_enforced_is_a_line_for_the_run(tmp_path: Path) -> None:
    one, two = (graded(name, check("t", 1.0), not_enforced=("It shares a kernel.",)) for name in "ab")
    two = replace(two, not_enforced=(*two.not_enforced, "Swap is not limited."))
    text = "".join(markdown_report.report(write(tmp_path, [one, two])))
    assert html.unescape(text).count("\nnot enforced: It shares a kernel.\n") == 1
    assert "\nnot enforced in 1 of 2 verdicts: Swap is not limited.\n" in html.unescape(text)

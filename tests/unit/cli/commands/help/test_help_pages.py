"""Pages on a terminal: what finds them, which kinds there are, and what is left of Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.cli.commands.help import help_pages
from gradebox.graders.cli.commands.help.help_pages import (
    COLUMNS,
    HelpPage,
    all_pages,
    find_docs,
    find_page,
    pages_by_kind,
    pages_that_mention,
    render,
)  # fmt: skip
from gradebox.graders.errors import UsageRefused

MARKDOWN = """\
# A page

Some `grade --flag` and [words that lead](docs/tutorial.md#grade), [away](https://a.example), ![picture](x.svg).

## Part

| a | b |
|---|---|
| `x|` | y |

```sh
$ a-command --with=a-very-long-line-that-nobody-must-fold-because-it-is-there-to-be-pasted --and=more
```
"""


@pytest.mark.parametrize(
    ("word", "topic"),
    [
        ("tutorial", "tutorial"),
        ("Grade-A-Class", "grade-a-class"),
        ("docs/how-to/grade-a-class.md", "grade-a-class"),
        ("exit codes", "exit-codes"),
        ("adr", "adr"),
        ("0012", "0012-limits-of-time-count-processor-time"),
    ],
)
def test_a_page_is_found_by_its_name_its_path_or_a_beginning_of_it(word: str, topic: str) -> None:
    page = find_page(word)
    assert page is not None
    assert page.topic == topic


@pytest.mark.parametrize("word", ["grade", "judge-", "nothing", "", "tutrial"])
def test_other_words_find_none(word: str) -> None:
    assert find_page(word) is None


def test_every_page_has_a_topic_of_its_own() -> None:
    directory, _ = find_docs()
    assert len(all_pages()) == len(list(directory.rglob("*.md")))


def test_the_kinds_are_those_of_the_site() -> None:
    kinds = pages_by_kind()
    assert list(kinds) == ["Start here", "For you", "How-to guides", "Reference", "Explanation"]
    assert "adr" in {page.topic for page in kinds["Explanation"]}
    assert {page.topic for pages in kinds.values() for page in pages} <= set(all_pages())


def test_pages_that_have_a_word_are_named_the_most_often_first() -> None:
    assert pages_that_mention("--theirs-nobody-has-this") == []
    assert pages_that_mention(" ") == []
    assert pages_that_mention("Buildkite")[0] == "ci"
    assert len(pages_that_mention("grade")) == 5


def test_a_page_is_text_whose_commands_stay_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/tutorial.md").write_text("# Tutorial\n")
    page = tmp_path / "page.md"
    page.write_text(MARKDOWN)
    monkeypatch.setattr(help_pages, "find_docs", lambda: (tmp_path, tmp_path / "_pages.yml"))
    text = render(HelpPage("page", page))
    assert text.startswith("A page\n======\n\nSome `grade --flag` and words that lead, away, .\n\nPart\n----\n")
    assert "\n    $ a-command --with=a-very-long" in text
    assert "pasted --and=more\n" in text
    assert text.endswith("\n\nLinked pages:\n  grade help tutorial\n")
    assert "\x1b" not in text
    assert "\n\n\n" not in text


@pytest.mark.parametrize("topic", ["index", "case", "ci", "security", "cli-reference"])
def test_what_is_not_code_fits_into_eighty_columns(topic: str) -> None:
    lines = render(all_pages()[topic]).splitlines()
    assert [line for line in lines if len(line) > COLUMNS and not line.startswith("    ")] == []


def test_pages_that_an_installation_lost_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(help_pages, "__file__", str(tmp_path / "graders/cli/commands/help/help_pages.py"))
    with pytest.raises(UsageRefused, match="pages are missing"):
        find_docs()

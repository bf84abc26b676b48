"""The pages of docs/ for a terminal, without a network: found by name, listed by kind, and rendered as plain text.

A wheel has the pages in ``gradebox/_docs``, with the order of the site in ``_pages.yml``. A checkout has both where
they are written. Nothing is fetched, and links that lead to other pages become their names.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.text import Text

from gradebox.graders.errors import UsageRefused
from gradebox.sandbox.records import dataclass

COLUMNS = 80
_START = "Start here"
_UNDERLINES = {"h1": "=", "h2": "-"}
# So many pages are named where a word is no topic.
_MENTIONS = 5


@dataclass(frozen=True, slots=True)
class HelpPage:
    """A page of docs/.

    Attributes:
        topic: What finds it: its file name without a suffix; the folder's name for the index of a folder.
    """

    topic: str
    path: Path

    @property
    def title(self) -> str:
        """The first heading."""
        with self.path.open(encoding="utf-8") as lines:
            return next(lines).lstrip("# ").rstrip()


def find_docs() -> tuple[Path, Path]:
    """Return the directory of the pages, and the file that says in which order the site has them.

    Raises:
        UsageRefused: If they are missing from the installed package.
    """
    package = Path(__file__).resolve().parents[4]
    for pages, order in (
        (package / "_docs", package / "_docs" / "_pages.yml"),
        (package / "docs", package / ".ci" / "mkdocs.yml"),
    ):
        if order.is_file():
            return pages, order
    raise UsageRefused("The pages are missing from the installed package.", remedy="Install gradebox again.")


def all_pages() -> dict[str, HelpPage]:
    """Return every page by its topic."""
    directory, _ = find_docs()
    pages = (HelpPage(_topic(directory, path), path) for path in sorted(directory.rglob("*.md")))
    return {page.topic: page for page in pages}


def pages_by_kind() -> dict[str, list[HelpPage]]:
    """Return the pages of the site's contents in their order, by kind."""
    directory, order = find_docs()
    contents = yaml.safe_load(order.read_text("utf-8"))["nav"]
    kinds: dict[str, list[HelpPage]] = {}
    for kind, name in _entries(contents, _START):
        path = directory / name
        kinds.setdefault(kind, []).append(HelpPage(_topic(directory, path), path))
    return kinds


def _entries(contents: list[Any], kind: str) -> Iterator[tuple[str, str]]:
    """Yield kind and path of each page. A group within a group is of the same kind."""
    for entry in contents:
        title, below = next(iter(entry.items())) if isinstance(entry, Mapping) else ("", entry)
        if isinstance(below, list):
            yield from _entries(below, title if kind == _START else kind)
        else:
            yield kind, below


def _topic(directory: Path, path: Path) -> str:
    return path.parent.name if path.stem == "index" and path.parent != directory else path.stem


def find_page(word: str) -> HelpPage | None:
    """Return the page of a topic, of its path, or of an unambiguous beginning of its name; None if there is none."""
    pages = all_pages()
    name = word.casefold().removesuffix(".md").rpartition("/")[2].replace(" ", "-").replace("_", "-")
    if name in pages:
        return pages[name]
    begun = [page for topic, page in pages.items() if len(name) > 2 and topic.startswith(name)]
    return begun[0] if len(begun) == 1 else None


def pages_that_mention(word: str) -> list[str]:
    """Return the topics of the pages that have a word, those that have it most often first."""
    counts = {
        topic: page.path.read_text("utf-8").casefold().count(word.casefold()) for topic, page in all_pages().items()
    }
    found = sorted((topic for topic in counts if counts[topic]), key=lambda topic: -counts[topic])
    return found[:_MENTIONS] if word.strip() else []


def render(page: HelpPage) -> str:
    """Return a page as plain text of 80 columns. Lines of code stay whole: they are there to be pasted."""
    markdown = _Plain(page.path.read_text("utf-8"))
    named = list(dict.fromkeys(_linked(markdown.parsed, page.path)))
    _simplify(markdown.parsed)
    stream = io.StringIO()
    console = Console(file=stream, width=COLUMNS, color_system=None, legacy_windows=False)
    console.print(markdown, crop=False)
    lines = [line.rstrip() for line in stream.getvalue().strip("\n").split("\n")]
    text = "\n".join(line for number, line in enumerate(lines) if line or lines[number - 1])
    topics = [topic for topic in named if topic in all_pages() and topic != page.topic]
    more = "\n".join(f"  grade help {topic}" for topic in topics)
    return f"{text}\n\nLinked pages:\n{more}\n" if topics else f"{text}\n"


def _linked(tokens: list[Any], path: Path) -> Iterator[str]:
    """Yield the topics to which a page leads."""
    directory, _ = find_docs()
    for token in _flat(tokens):
        target = str(token.attrs.get("href", "")).partition("#")[0]
        if token.type == "link_open" and target.endswith(".md") and "://" not in target:
            yield _topic(directory, (path.parent / target).resolve())


def _flat(tokens: list[Any]) -> Iterator[Any]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


def _simplify(tokens: list[Any]) -> None:
    """Leave of links their words, of pictures nothing, and keep the marks of code, which has no colour here."""
    for token in _flat(tokens):
        if token.children:
            token.children = [one for one in token.children if one.type not in {"link_open", "link_close", "image"}]
        if token.type == "code_inline":
            token.type, token.content = "text", f"`{token.content}`"


class _PlainHeading(Heading):
    """A heading at the left; the first two levels are underlined."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from ([Text()] if self.tag != "h1" else [])
        yield self.text
        if self.tag in _UNDERLINES:
            yield Text(_UNDERLINES[self.tag] * self.text.cell_len)


class _PlainCode(CodeBlock):
    """Indented lines, however long."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in str(self.text).rstrip("\n").split("\n"):
            yield Text(f"    {line}", no_wrap=True, overflow="ignore")


class _Plain(Markdown):
    elements = Markdown.elements | {"heading_open": _PlainHeading, "fence": _PlainCode, "code_block": _PlainCode}

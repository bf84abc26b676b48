"""Reads a page as a browser without scripts does, and says what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"br", "col", "hr", "input", "link", "meta", "wbr"}
TAGS = {
    "html", "head", "meta", "title", "link", "style", "script", "body", "main", "header", "section", "article", "nav",
    "h1", "h2", "h3", "p", "div", "span", "a", "b", "strong", "small", "code", "pre", "time", "ul", "li",
    "dl", "dt", "dd",
    "figure", "figcaption", "svg", "rect", "line", "path", "text", "desc", "details", "summary", "noscript",
    "table", "caption", "thead", "tbody", "tr", "th", "td",
    "form", "label", "input", "select", "option", "button", "output",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "rel", "href", "id", "class", "tabindex", "role", "hidden",
    "aria-label", "aria-labelledby", "aria-hidden", "scope", "colspan", "open", "datetime", "data-status",
    "type", "for", "value", "placeholder", "autocomplete", "spellcheck",
    "viewbox", "preserveaspectratio", "width", "height", "x", "y", "x1", "x2", "y1", "y2", "rx", "d", "text-anchor",
}  # fmt: skip


@dataclass
class Page(HTMLParser):
    """What was found: elements with their attributes, and text with the elements around it."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def handle_decl(self, decl: str) -> None:
        self.others.append(decl)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def structure(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    def written(self) -> str:
        return "".join(data for tag, data in self.texts if tag not in {"script", "style"})


def read(source: str) -> Page:
    """Read a page and insist that it is nothing but what a report is made of."""
    page = Page()
    page.feed(source)
    page.close()
    assert not page.open, f"never closed: {page.open}"
    assert page.others == ["DOCTYPE html"]
    assert {tag for tag, _ in page.elements} <= TAGS
    assert {name for _, attributes in page.elements for name in attributes} <= ATTRIBUTES
    assert len(page.of("script")) == len(page.of("style")) == 1
    for _, attributes in page.elements:
        address = attributes.get("href")
        assert address is None or address.startswith(("#", "data:image/svg+xml,")), address
    return page

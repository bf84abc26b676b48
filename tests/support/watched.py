"""A page of a run in a browser, with all that it asked for and complained about."""

from __future__ import annotations

from dataclasses import dataclass, field

from playwright.sync_api import Page

VERDICTS = 260


@dataclass
class Watched:
    """A page with all that it asked for and complained about.

    Attributes:
        page: In the browser.
        address: Of the file.
        requests: Addresses of all that was loaded.
        complaints: Errors of scripts, and what the policy refused.
        refused: Addresses of what the policy kept from being loaded.
    """

    page: Page
    address: str
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def go(self, fragment: str = "") -> Page:
        self.page.goto(self.address + fragment)
        return self.page

"""A page of a run in a browser, with all that it asked for and complained about."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources

from playwright.sync_api import Page

VERDICTS = 260
# The name of the case of `fabricated.hostile`, as a page shows it.
HOSTILE_CASE = 'case"><script>document.title="owned"</script>\\u202e'
# What axe finds that is serious, without the verdicts that are not shown.
SERIOUS = """() => axe.run({exclude: ['#cases']}, {resultTypes: ['violations']}).then(found => found.violations
    .filter(one => ['serious', 'critical'].includes(one.impact))
    .map(one => [one.id, ...one.nodes.map(node => node.html.slice(0, 120))]))"""
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


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

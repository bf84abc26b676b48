"""A browser, and a page of a run with everything in it: both once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from chromium import chromium
from fabricated import hostile, many, write
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Request, sync_playwright
from watched import VERDICTS, Watched

from gradebox.graders.reports.html_report import report


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium())
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a page with many verdicts, and a hostile one at the end."""
    root = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        # That what was never graded survives a crash is not worth waiting for.
        patch.setattr("os.fsync", lambda _: None)
        run = write(root, [*many(VERDICTS - 1), hostile()])
    place = root / "report.html"
    with place.open("w", encoding="utf-8", newline="") as stream:
        stream.writelines(report(run))
    return place.as_uri()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def watched(context: BrowserContext, address: str) -> Iterator[Watched]:
    """Open nothing yet; whatever the test does, no request leaves the page and nothing is complained about."""
    watched = Watched(context.new_page(), address)

    def asked(request: Request) -> None:
        watched.requests.append(request.url)

    def complained(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            watched.complaints.append(message.text)

    def failed(request: Request) -> None:
        if request.failure == "csp":
            watched.refused.append(request.url)

    watched.page.on("request", asked)
    watched.page.on("requestfailed", failed)
    watched.page.on("console", complained)
    watched.page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    yield watched
    assert {request.split("#", 1)[0].split(":", 1)[0] for request in watched.requests} <= {"file", "data"}
    assert {request.split("#", 1)[0] for request in watched.requests if request.startswith("file:")} == {address}
    assert not watched.complaints

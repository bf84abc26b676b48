"""The HTML report in a browser: it can be filtered, searched, sorted and read by everybody, and attacks stay text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from fabricated import check, graded, write
from playwright.sync_api import Browser, Page, expect
from watched import AXE, HOSTILE_CASE, SERIOUS, VERDICTS, Watched

from gradebox.graders.reports.html_report import report


def column(page: Page, name: str) -> list[str]:
    """Return the texts of a column of the list, as far as it is shown."""
    found: list[str] = page.evaluate(
        """name => {
            const table = document.querySelector('.list');
            const place = [...table.tHead.rows[0].cells].findIndex(cell => cell.textContent === name);
            return [...table.tBodies[0].rows].map(row => row.cells[place].textContent);
        }""",
        name,
    )
    return found


def test_filters_search_and_their_address(watched: Watched) -> None:
    page = watched.go()
    expect(page.locator("#shown")).to_have_text(f"{VERDICTS} verdicts")
    assert len(column(page, "case")) == 200
    page.get_by_role("button", name="Show 60 more").click()
    assert len(column(page, "case")) == VERDICTS
    page.get_by_label("Verdict", exact=True).select_option("failed")
    assert set(column(page, "verdict")) == {"failed"}
    page.get_by_label("Target").select_option("model-d")
    assert set(column(page, "target")) == {"model-d"}
    page.get_by_label("Tag").select_option("web")
    assert all("web" in tags for tags in column(page, "tags"))
    page.get_by_label("Target").select_option("")
    page.get_by_label("Tag").select_option("")
    page.get_by_label("Search").fill("PARSER no end")
    found = column(page, "case")
    assert found
    assert all("parser" in case for case in found)
    assert all("no end" in why for why in column(page, "why"))
    expect(page.locator("#shown")).to_have_text(f"{len(found)} of {VERDICTS} verdicts")
    # The address holds all of it, so that it can be sent to somebody.
    fragment = page.url.partition("#")[2]
    other = watched.go("")
    other.goto("about:blank")
    assert column(watched.go(f"#{fragment}"), "case") == found
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#shown")).to_have_text(f"{VERDICTS} verdicts")
    assert "#" not in page.url
    page.get_by_label("Search").fill("there is no such thing")
    assert column(page, "case") == []
    watched.requests[:] = [request for request in watched.requests if request != "about:blank"]


def test_sorting(watched: Watched) -> None:
    page = watched.go("#status=failed")
    head = page.locator(".list thead")
    head.get_by_role("button", name="score").click()
    scores = [float(score) for score in column(page, "score")]
    assert scores == sorted(scores)
    assert head.locator("[aria-sort=ascending]").inner_text() == "score"
    head.get_by_role("button", name="score").click()
    others = [float(score) for score in column(page, "score")]
    assert others == sorted(others, reverse=True)
    assert head.locator("[aria-sort=descending]").inner_text() == "score"
    head.get_by_role("button", name="time").click()
    times = [float(time.removesuffix(" s")) for time in column(page, "time")]
    assert times == sorted(times)
    head.get_by_role("button", name="case").click()
    assert column(page, "case") == sorted(column(page, "case"))
    assert "sort=case" in page.url
    page.goto(watched.address + "#sort=time&order=descending")
    assert head.locator("[aria-sort=descending]").inner_text() == "time"


def test_a_verdict_opens_with_its_address_and_closes_again(watched: Watched) -> None:
    page = watched.go("#status=failed")
    first = page.locator(".list tbody a").first
    name = first.inner_text()
    first.click()
    expect(page.locator("#view h2 .name")).to_have_text(name)
    expect(page.locator("#view h2")).to_be_focused()
    assert page.url.partition("#")[2].startswith(f"case={name}/")
    assert page.title().startswith(f"failed {name}")
    expect(page.locator("#overview")).to_be_hidden()
    for part in ("Checks", "Commands", "Changes", "Run it again"):
        expect(page.locator("#view").get_by_role("heading", name=part)).to_be_visible()
    copied = page.locator("#view .again button.copy").first
    copied.click()
    expect(copied).to_have_text(re.compile("Copied|Selected"))
    expect(page.locator("#view details.command[open] pre.out").first).to_be_visible()
    expect(page.locator("#view .diff .add").first).to_be_visible()
    permalink = page.url
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#view h2 .name")).not_to_have_text(name)
    assert page.locator("#view h2 .badge").inner_text() == "failed"
    page.keyboard.press("Escape")
    expect(page.locator("#view")).to_be_hidden()
    assert set(column(page, "verdict")) == {"failed"}
    page.go_back()
    page.go_back()
    expect(page.locator("#view h2 .name")).to_have_text(name)
    page.goto("about:blank")
    page.goto(permalink)
    expect(page.locator("#view h2 .name")).to_have_text(name)
    page.get_by_role("link", name="All verdicts").click()
    expect(page.locator("#shown")).to_have_text(f"{VERDICTS} verdicts")
    watched.requests[:] = [request for request in watched.requests if request != "about:blank"]


def test_counts_filter_too(watched: Watched) -> None:
    page = watched.go()
    button = page.locator(".cards").get_by_role("button", name="failed")
    count = int(page.locator(".card.failed strong").inner_text())
    button.click()
    expect(page.locator("#shown")).to_have_text(f"{count} of {VERDICTS} verdicts")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(page.locator("#shown")).to_have_text(f"{VERDICTS} verdicts")


def test_attacks_stay_text(watched: Watched) -> None:
    page = watched.go("#q=owned")
    assert column(page, "case") == [HOSTILE_CASE]
    page.locator(".list tbody a").click()
    view = page.locator("#view")
    expect(view.locator("h2 .name")).to_have_text(HOSTILE_CASE)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for attack in (
        "]]> --> </script> </template> </noscript>",
        "<img src=x onerror=",
        "\\x1b]8;;http://example.invalid/",
        "access\\u202e",
    ):
        expect(view.get_by_text(attack).first).to_be_visible()
    output = view.locator("pre.out").first
    expect(output.locator(".a-bold.fg1").first).to_have_text("bold red")
    expect(output.locator(".cut")).to_contain_text("MiB not shown")
    assert "owned" not in page.title().replace(HOSTILE_CASE, "")
    strangers = page.evaluate(
        """() => [...document.querySelectorAll('script, img, iframe, object, base, [onload], [onerror], [style]')]
            .filter(one => !['theme', 'filters'].includes(one.id)).map(one => one.outerHTML.slice(0, 80))"""
    )
    assert [one[:8] for one in strangers] == ["<script>"]
    assert (
        page.evaluate("/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff\\u0000-\\u0008]/.test(document.body.innerText)")
        is False
    )


def test_the_policy_stops_what_got_in(watched: Watched) -> None:
    """If foreign markup got into the page nevertheless, it would neither run nor load anything."""
    page = watched.go()
    page.evaluate(
        """() => {
            const box = document.createElement('div');
            box.innerHTML = '<p style="color:red">x</p><img onerror="document.title = 1" ' +
                'src="https://example.invalid/x.png">';
            const script = document.createElement('script');
            script.textContent = 'document.title = "owned"';
            document.body.append(box, script);
        }"""
    )
    page.wait_for_timeout(200)
    assert page.title().endswith("gradebox")
    assert watched.refused == ["https://example.invalid/x.png"]
    watched.requests.remove("https://example.invalid/x.png")
    assert all("Content Security Policy" in text for text in watched.complaints)
    watched.complaints.clear()


@pytest.fixture
def unscripted(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 900})
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.goto(address)
    yield page
    context.close()


def test_everything_is_there_without_scripts(unscripted: Page) -> None:
    page = unscripted
    assert page.locator(".list tbody tr").count() == page.locator("article").count() == VERDICTS
    expect(page.locator("#filters")).to_be_hidden()
    page.locator(".list tbody tr").nth(230).get_by_role("link").click()
    article = page.locator("article").nth(230)
    expect(article.locator("h2")).to_be_in_viewport()
    expect(article.get_by_role("heading", name="Run it again")).to_be_visible()
    assert "]]> --> </script> </template> </noscript>" in (page.locator("article").last.text_content() or "")


@pytest.mark.parametrize("scripts", [True, False])
def test_every_verdict_has_an_address_of_its_own(browser: Browser, tmp_path: Path, scripts: bool) -> None:
    one = graded("a b/c%2F#?&", check("tests", 1.0), submission="ä+ö", target="t/1")
    other = replace(one, verdict=graded("x", check("tests", 0.0, "exit status 1")).verdict)
    verdicts = [one, replace(other, repeat=2), replace(one, repeat=3), graded("z", check("tests", 1.0))]
    run = write(tmp_path, verdicts)
    place = tmp_path / "report.html"
    place.write_text("".join(report(run)), "utf-8")
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(place.as_uri())
    links = [link.get_attribute("href") or "" for link in page.locator(".list td a").all()]
    assert len(set(links)) == len(verdicts)
    for link, verdict in zip(links, verdicts, strict=True):
        page.goto("about:blank")
        page.goto(place.as_uri() + link)
        shown = page.locator("#view" if scripts else "#cases :target")
        expect(shown.locator("h2")).to_be_in_viewport()
        expect(shown.locator("h2 .badge")).to_have_text(verdict.verdict.status)
        expect(shown.locator("h2 .name")).to_have_text(verdict.case)
    context.close()


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_the_page_is_accessible(watched: Watched, scheme: Literal["light", "dark"], width: int) -> None:
    page = watched.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})

    def inspect() -> None:
        assert page.evaluate(SERIOUS) == []
        # Nothing makes the page wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # A few rows have all that three hundred have.
    watched.go("#q=owned")
    page.evaluate(AXE)
    inspect()
    for query in ("owned", "parser-01 exit"):
        page.evaluate("query => { location.hash = 'q=' + query; }", query)
        page.locator(".list tbody a").first.click()
        page.evaluate("document.querySelectorAll('#view details').forEach(one => one.open = true)")
        inspect()
        page.keyboard.press("Escape")


def test_colours_follow_the_system_until_somebody_chooses(watched: Watched) -> None:
    page = watched.page
    page.emulate_media(color_scheme="dark")
    watched.go()
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Use light colours").click()
    light = page.evaluate(ground)
    assert light != dark
    page.reload()
    assert page.evaluate(ground) == light
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.getElementById('filters')).display") == "none"

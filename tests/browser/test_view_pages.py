"""``grade view`` in a browser: lists are searched and grow, runs appear while they go on, and attacks stay text."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from typing import Literal

import pytest
from fabricated import capture, check, graded, hostile, many, step
from index_bench import append, named_run
from playwright.sync_api import Browser, Page, expect
from viewer_bench import Client, viewing
from watched import AXE, HOSTILE_CASE, SERIOUS

FIRST, SECOND = "20260101-000000-aaaaaa", "20260102-000000-bbbbbb"
DETAILS = {"tests": [{"test": "sum-1", "expected": "7", "actual": "12", "reason": "line 1, column 1"}]}


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = tmp_path_factory.mktemp("viewed")
    for name, said in ((FIRST, b"7\n"), (SECOND, b"12\n")):
        summed = check("sum", 0.5, "1 of 2", step("sum", stdout=capture(said)), step("more"), details=DETAILS)
        one = graded("sum-of-two", summed, changes="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", target="model-a")
        named_run(root, name, [*many(230, seed=len(said)), one, hostile()], tasks=400)
    with viewing(root) as client:
        yield client


@pytest.fixture
def page(browser: Browser, client: Client) -> Iterator[Page]:
    """Return a page that has been let in; it asks nobody but the viewer, and complains about nothing."""
    context = browser.new_context(viewport={"width": 1600, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in {"error", "warning"} else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(client.server.access.address())
    page.wait_for_url(f"http://{client.host}/")
    yield page
    context.close()
    assert {request.partition("?")[0] for request in asked if not request.startswith(f"http://{client.host}/")} <= {
        "data:,"
    }
    assert complaints == []


def go(page: Page, client: Client, path: str) -> Page:
    page.goto(f"http://{client.host}{path}")
    return page


def column(page: Page, name: str) -> list[str]:
    return page.locator(f".list tbody td.{name}").all_inner_texts()


def test_a_list_is_searched_filtered_and_grows(page: Page, client: Client) -> None:
    go(page, client, f"/run/{FIRST}")
    expect(page.locator("#shown")).to_have_text("232 verdicts")
    assert len(column(page, "case")) == 100
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".list tbody tr")).to_have_count(200)
    expect(page.locator(".list tbody tr").nth(100).get_by_role("link")).to_be_focused()
    page.get_by_role("link", name="Next").click()
    expect(page.locator(".list tbody tr")).to_have_count(232)
    expect(page.get_by_role("link", name="Next")).to_have_count(0)
    assert len(set(column(page, "number"))) == 232
    page.get_by_label("Verdict", exact=True).select_option("failed")
    expect(page.locator(".list .badge.passed")).to_have_count(0)
    page.get_by_label("Search").press_sequentially("parser exit")
    expect(page.locator("#shown")).not_to_have_text("232 verdicts")
    page.wait_for_url("**q=parser+exit**")
    assert all("parser" in case for case in column(page, "case"))
    expect(page.get_by_label("Search")).to_be_focused()
    expect(page.locator("#news")).to_contain_text("verdict")
    page.get_by_role("link", name="score").click()
    page.wait_for_url("**sort=score**")
    scores = [float(score) for score in column(page, "score")]
    assert scores == sorted(scores)
    assert page.locator("[aria-sort=ascending]").inner_text().strip() == "score"
    page.reload()
    assert [float(score) for score in column(page, "score")] == scores
    page.get_by_role("link", name="Reset").click()
    expect(page.locator("#shown")).to_have_text("232 verdicts")


def test_one_verdict_with_its_evidence_and_the_way_back(page: Page, client: Client) -> None:
    go(page, client, f"/run/{SECOND}?q=sum-of-two")
    page.locator(".list tbody td.score").click()
    page.wait_for_url("**/run/*/*")
    for part in ("First difference", "Checks", "Commands", "Changes", "Run it again", "Over time"):
        expect(page.get_by_role("heading", name=part).first).to_be_visible()
    checks, changes = (page.locator(name).bounding_box() for name in (".of-checks", ".of-changes"))
    assert checks
    assert changes
    # Beside each other.
    assert changes["x"] >= checks["x"] + checks["width"]
    assert page.locator(".timeline rect").count() == 2
    copied = page.locator(".again button.copy").first
    copied.click()
    expect(copied).to_have_text(re.compile("Copied|Selected"))
    page.get_by_role("link", name=f"Compare outputs with {FIRST}").click()
    expect(page.locator(".of-differences").first).to_contain_text("stdout")
    expect(page.locator(".of-differences").first.locator("pre")).to_have_text(["7", "12"], use_inner_text=True)
    # The keys belong to the page's script, which runs after its text is shown.
    page.wait_for_load_state()
    page.keyboard.press("Escape")
    page.wait_for_url("**q=sum-of-two")
    go(page, client, f"/run/{SECOND}?status=failed")
    page.locator(".list tbody a").first.click()
    page.wait_for_url("**/run/*/*")
    first = page.locator("h2 .name").first.inner_text()
    page.get_by_role("link", name="Next").click()
    expect(page.locator("h2 .name").first).not_to_have_text(first)
    page.get_by_role("link", name="Previous").click()
    expect(page.locator("h2 .name").first).to_have_text(first)


def test_two_runs_are_compared_and_a_case_followed(page: Page, client: Client) -> None:
    page.get_by_role("link", name=f"Compare {SECOND} with the run before it").click()
    expect(page.get_by_label("Before")).to_have_value(FIRST)
    expect(page.get_by_label("After")).to_have_value(SECOND)
    page.get_by_role("link", name="lost").click()
    page.wait_for_url("**change=lost**")
    assert (
        page.locator(".pairs tbody td:nth-child(3)").all_inner_texts()
        == ["passed"] * page.locator(".pairs tbody tr").count()
    )
    page.locator(".pairs tbody a").first.click()
    page.get_by_role("link", name="This case in all runs").click()
    expect(page.locator(".runs tbody tr")).to_have_count(2)


def test_what_a_run_adds_appears_by_itself(page: Page, client: Client) -> None:
    root = client.server.site.index.root  # type: ignore[attr-defined]
    directory = named_run(root, "20260103-000000-cccccc", many(3), tasks=5)
    with (directory / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        go(page, client, "/run/20260103-000000-cccccc")
        expect(page.locator("#progress")).to_contain_text("3 of 5 graded")
        page.locator(".fold > summary").click()
        page.locator(".list tbody a").nth(1).focus()
        append(directory, graded("brand-new", check("x", 1.0), number=4))
        expect(page.locator("#shown")).to_have_text("4 verdicts")
        expect(page.locator("#progress")).to_contain_text("4 of 5 graded")
        # What somebody has opened stays open, and the focus where it was.
        expect(page.locator(".fold")).to_have_attribute("open", "")
        expect(page.locator(".list tbody a").nth(1)).to_be_focused()
    expect(page.locator("#progress")).to_contain_text("grade --resume")


def test_attacks_stay_text(page: Page, client: Client) -> None:
    for path in (f"/run/{SECOND}", "/verdicts", f"/compare?before={FIRST}&after={SECOND}", "/case?case=<script>"):
        go(page, client, path)
        assert "owned" not in page.title()
    go(page, client, "/verdicts?q=%3Cscript%3E")
    assert column(page, "case") == [HOSTILE_CASE] * 2
    page.locator(".list tbody a").first.click()
    page.wait_for_url("**/run/*/*")
    expect(page.locator("h2 .name")).to_have_text(HOSTILE_CASE)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for attack in ("]]> --> </script> </template> </noscript>", "<img src=x onerror=", "access\\u202e"):
        expect(page.get_by_text(attack).first).to_be_visible()
    assert page.title().replace(HOSTILE_CASE[:80], "") == "failed  - gradebox"
    strangers = page.evaluate(
        """() => [...document.querySelectorAll('script, img, iframe, object, base, [onload], [onerror], [style]')]
            .map(one => one.outerHTML)"""
    )
    assert strangers == [
        '<script src="/static/theme.js"></script>', '<script src="/static/view.js" defer=""></script>',
    ]  # fmt: skip
    assert not page.evaluate(
        "/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff\\u0000-\\u0008]/.test(document.body.innerText)"
    )


def test_another_site_gets_nothing(browser: Browser, client: Client, page: Page) -> None:
    """A page of another port of this machine, in the same browser, neither reads nor shows the viewer."""
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    class Attacker(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = f'<!DOCTYPE html><title>x</title><iframe src="http://{client.host}/"></iframe>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Attacker) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        other = page.context.new_page()
        other.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        reading = f"fetch('http://{client.host}/', {{credentials: 'include'}}).then(() => 'read', () => 'refused')"
        assert other.evaluate(reading) == "refused"
        assert not any("Runs" in frame.content() for frame in other.frames[1:])
        other.evaluate(f"location.href = 'http://{client.host}/'")
        other.wait_for_url(f"http://{client.host}/")
        expect(other.locator("h1")).to_have_text("Forbidden")
        server.shutdown()


def test_everything_works_without_scripts(browser: Browser, client: Client) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.goto(client.server.access.address())
    page.wait_for_url(f"http://{client.host}/")
    page.get_by_role("link", name=FIRST, exact=True).click()
    first = page.locator(".list tbody td.number").first
    page.get_by_role("link", name="Next").click()
    expect(first).to_have_text("101")
    page.get_by_role("link", name="Previous").click()
    expect(first).to_have_text("1")
    page.get_by_label("Search").fill("sum-of-two")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".list tbody td.case")).to_have_text(["sum-of-two"])
    context.close()


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (360, "dark"),
        (1600, "light"),
        pytest.param(360, "light", marks=pytest.mark.thorough),
        pytest.param(900, "light", marks=pytest.mark.thorough),
        pytest.param(900, "dark", marks=pytest.mark.thorough),
        pytest.param(1600, "dark", marks=pytest.mark.thorough),
    ],
)
def test_the_pages_are_accessible(page: Page, client: Client, scheme: Literal["light", "dark"], width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    verdict = page.request.get(f"http://{client.host}/run/{SECOND}?q=owned").text()
    key = verdict.partition(f"/run/{SECOND}/")[2][:32]
    for path in (
        "/",
        f"/run/{SECOND}?q=owned",
        f"/run/{SECOND}/{key}?against={FIRST}",
        "/verdicts?q=sum-of-two",
        "/case?case=sum-of-two",
        f"/compare?before={FIRST}&after={SECOND}&case=fix-parser-01",
    ):
        response = page.goto(f"http://{client.host}{path}")
        assert response is not None
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        page.evaluate(AXE)
        assert page.evaluate(SERIOUS) == [], path
        # Nothing makes the page wider than the screen.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path

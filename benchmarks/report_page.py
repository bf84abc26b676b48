"""How long the HTML report of a large run takes to write, and how long a browser takes to open it.

    .venv/bin/python benchmarks/report_page.py --verdicts 5000 --json report_page.json

"open" is from the start of the navigation until the page has been drawn after its script ran; "parsed" is the browser's
own DOMContentLoaded. Each opening is in a new context, so nothing is cached.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "support")]

from chromium import chromium  # noqa: E402 - where it lies is known from here on
from fabricated import many, write  # noqa: E402 - the same

from gradebox.graders.reports.html_report import report  # noqa: E402 - the same

DRAWN = "() => new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)))"
LOADED = "() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
SEARCH = """() => {
    const box = document.getElementById('search'), begun = performance.now();
    box.value = 'parser';
    box.dispatchEvent(new Event('input', {bubbles: true}));
    document.body.offsetHeight;
    return performance.now() - begun;
}"""
SORT = """() => {
    const begun = performance.now();
    document.querySelector('.list th:last-child button').click();
    document.body.offsetHeight;
    return performance.now() - begun;
}"""


def opened(browser: Browser, page_file: Path, *, scripts: bool) -> dict[str, float]:
    """Open the page once and return what took how many milliseconds."""
    context = browser.new_context(java_script_enabled=scripts, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    begun = time.perf_counter()
    page.goto(page_file.as_uri(), wait_until="load", timeout=120_000)
    found = {"load_ms": (time.perf_counter() - begun) * 1e3}
    if scripts:
        found["open_ms"] = page.evaluate(DRAWN)
        found["parsed_ms"] = page.evaluate(LOADED)
        found["search_ms"] = page.evaluate(SEARCH)
        found["sort_ms"] = page.evaluate(SORT)
    context.close()
    return found


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--verdicts", type=int, default=5000)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="where the page is left")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        run = write(Path(scratch), many(options.verdicts))
        place = options.keep or Path(scratch) / "report.html"
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begun = time.perf_counter()
        with place.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(report(run))
        found: dict[str, Any] = {
            "verdicts": options.verdicts,
            "write_seconds": time.perf_counter() - begun,
            "write_more_memory_mib": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
            "page_mib": place.stat().st_size / 2**20,
        }
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium())
            for name, scripts in (("with scripts", True), ("without scripts", False)):
                times = [opened(browser, place.resolve(), scripts=scripts) for _ in range(options.count)]
                found[name] = {key: median(one[key] for one in times) for key in times[0]}
            browser.close()
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The HTML report: what it holds, and that no candidate can write into it.

Run ``python tests/unit/reports/test_html_report.py`` to write the golden outline. Read the changes before you commit.
"""

from __future__ import annotations

import re
import tempfile
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from fabricated import ASKED, HOSTILE, capture, check, graded, hostile, many, step, write
from html_reading import Page, read
from hypothesis import given, settings
from hypothesis import strategies as st

from gradebox.graders.grading.fingerprint import key_of
from gradebox.graders.model.result import Result
from gradebox.graders.model.submission import encodable
from gradebox.graders.model.tampering import Tampering, TamperingKind
from gradebox.graders.model.verdict_document import document
from gradebox.graders.reports.escaping import visible
from gradebox.graders.reports.html_report import PAGE_MAX, report
from gradebox.graders.runs.saved_run import SavedRun
from gradebox.sandbox.limits import MIB
from gradebox.sandbox.types import Ending

OUTLINE = Path(__file__).with_name("html-outline.txt")
CONTROLS = st.characters(categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
MARKUP = st.text("<>\"'&=/!-]`scriptSCRIPTon ;#x3", max_size=40)
TEXTS = st.text(max_size=40) | st.text(CONTROLS, max_size=12) | MARKUP


def page_of(*verdicts: Result, requested: Any = ASKED) -> str:
    documents = {key_of(one): one for one in map(document, verdicts)}
    return "".join(report(SavedRun(Path("runs/20260131-142501-3f9c2a"), dict(requested), documents)))


def with_words_everywhere(words: str) -> Result:
    """Return a verdict that says something in each place where a candidate or an author can."""
    finding = Tampering(TamperingKind.REPORT_DISAGREES, words, words, check=words)
    return graded(
        words,
        check(
            words,
            0.5,
            words,
            step("a", words, argv=("sh", "-c", words)),
            details={"reasoning": words, "tests": [{"name": words, "state": "failed"}], words: words},
            type=words,
            required=True,
            negate=True,
            tampering=(finding,),
        ),
        faults=(words,),
        submission=words,
        target=words,
        tags=(words,),
        category=words,
        restored=(words,),
        removed=(words,),
        removed_count=2,
        left_out=(words,),
        image=words,
        image_id=words,
        runtime=words,
        not_enforced=(words,),
        reused=words,
    )


@given(TEXTS)
@settings(max_examples=60, deadline=None)
def test_whatever_was_written_is_text_and_nothing_else(words: str) -> None:
    source = page_of(with_words_everywhere(words), requested={"cases": [words], "profile": words})
    page = read(source)
    assert all(character.isprintable() or character in "\n\t" for character in source)
    assert visible(encodable(words)) in page.written()


@given(MARKUP.filter(lambda words: words.strip() != "" and "--" not in words))
@settings(max_examples=40, deadline=None)
def test_markup_changes_nothing_of_the_structure(words: str) -> None:
    def structure(words: str) -> list[tuple[str, tuple[str, ...]]]:
        return read(page_of(with_words_everywhere(words))).structure()

    assert structure(words) == structure("x" * len(words))


def test_five_megabytes_of_attacks_stay_text_and_small(tmp_path: Path) -> None:
    source = "".join(report(write(tmp_path, [hostile()])))
    page = read(source)
    assert all(character.isprintable() or character in "\n\t" for character in source)
    assert len(source) < 200_000
    written = page.written()
    for attack in ("]]> --> </script> </template>", "<img src=x onerror=", "\\x1b]0;a title\\x07", "access\\u202e"):
        assert attack in written
    assert ("span", {"class": "a-bold fg1"}) in page.elements
    assert "5.0 MiB not shown" in written


def test_the_policy_names_the_hashes_of_the_only_style_sheet_and_script() -> None:
    source = page_of(graded("one", check("a", 1.0)))
    page = read(source)
    policy = next(one["content"] for one in page.of("meta") if one.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    found = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    for kind in ("style", "script"):
        (inner,) = re.findall(rf"<{kind}>(.*?)</{kind}>", source, re.DOTALL)
        assert found.pop(f"{kind}-src") == f"'sha256-{b64encode(sha256(inner.encode()).digest()).decode()}'"
    assert found == {"default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    # Nothing may need what the policy forbids, and the policy comes before all that it is about.
    assert source.index("Content-Security-Policy") < source.index("<style>")
    assert "://" not in source.replace("http://www.w3.org/2000/svg", "")


def test_every_link_of_the_list_leads_to_its_verdict(tmp_path: Path) -> None:
    twice = replace(graded("again", check("a", 1.0)), repeat=2)
    names = ("a b", "a+b", "a/b", "ä", "x" * 300, "x" * 301, "#&?=%2F")
    verdicts = [graded(name, check("a", 1.0)) for name in names] + [twice, replace(twice, repeat=1), hostile()]
    page = read(page_of(*verdicts))
    links = [one["href"] for one in page.of("a") if (one["href"] or "").startswith("#case=")]
    identities = [one["id"] for _, one in page.elements if "id" in one]
    assert len(set(identities)) == len(identities)
    assert len(links) == len(set(links)) == len(verdicts)
    assert {link and link[1:] for link in links} <= set(identities)
    assert all(link and link.isascii() and " " not in link for link in links)


def test_parts_refer_to_what_there_is() -> None:
    page = read(page_of(*many(40)))
    identities = {one["id"] for _, one in page.elements if "id" in one}
    for _, attributes in page.elements:
        for name in ("aria-labelledby", "for"):
            assert set((attributes.get(name) or "").split()) <= identities
    levels = [int(tag[1]) for tag, _ in page.elements if tag in {"h1", "h2", "h3"}]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all("scope" in one for one in page.of("th"))


def test_a_large_run_is_a_page_of_bounded_size(tmp_path: Path) -> None:
    flood = capture(HOSTILE * 200)
    wrong = check(
        "a", 0.0, "exit status 1", *(step(f"a {n}", "exit status 1", stdout=flood, stderr=flood) for n in range(3))
    )
    run = write(tmp_path, (replace(graded(f"case-{number}", wrong), changes="+x\n" * 9000) for number in range(150)))
    page = "".join(report(run))
    # Markup may take so many times as much as the text that it shows.
    assert len(page) < 4 * PAGE_MAX
    assert len(max(page.split("<noscript>")[1:], key=len)) < 350_000


def test_a_run_without_verdicts_is_a_page() -> None:
    assert "The run has no verdict" in read(page_of()).written()


def test_repeats_with_different_results_are_named() -> None:
    login = [
        replace(graded("login", check("tests", score), check("style", 1.0)), repeat=repeat)
        for repeat, score in enumerate((1.0, 0.0, 1.0), 1)
    ]
    steady = [replace(graded("logout", check("tests", 1.0)), repeat=repeat) for repeat in (1, 2)]
    written = read(page_of(*login, *steady)).written()
    assert "flaky1of 2 graded repeatedly" in written
    assert "Repeats with different results" in written
    assert "loginmodel-a2 passed 1 failed tests" in written
    assert "different results" not in read(page_of(*steady)).written()


def test_commands_that_succeeded_are_brief_in_a_large_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = capture(b"logged\n")
    passing = check("tests", 1.0, "", step("tests", stdout=log))
    failing = check("more", 0.0, "exit status 1", step("more", "exit status 1", stdout=log))
    diff = "--- a/x\n+++ b/x\n+y\n"
    run = write(tmp_path, [graded("passed", passing, changes=diff), graded("failed", passing, failing, changes=diff)])
    whole = read("".join(report(run))).written()
    assert (whole.count("logged"), whole.count("--- a/x")) == (3, 2)
    assert (
        "so large that a command that succeeded is one line here, without its output. grade show prints all of it"
        not in whole
    )
    # As in a run of thousands.
    monkeypatch.setattr("gradebox.graders.reports.html_report.PAGE_MAX", 2000)
    brief = read("".join(report(run))).written()
    assert (brief.count("logged"), brief.count("--- a/x")) == (1, 1)
    assert brief.count("tests: exit status 0, 0.30 s, 40 MiB of 512 MiB") == 2
    assert "Changed lines +1 -0" in brief
    assert (
        "so large that a command that succeeded is one line here, without its output. grade show prints all of it"
        in brief
    )


def test_a_large_list_is_several_tables() -> None:
    page = read(page_of(*many(450)))
    lists = [one for one in page.of("table") if one.get("class") == "list"]
    assert len(lists) == 3
    assert "Verdicts 401 to 450" in page.written()
    links = [one["href"] for one in page.of("a") if (one["href"] or "").startswith("#case=")]
    assert len(links) == 450


def test_evidence_that_is_gone_is_left_out() -> None:
    written = read(page_of(graded("one", check("a", 0.0, "exit status 1", step("a", "exit status 1"))))).written()
    assert "Checks" in written
    assert "Commands" not in written


def example(root: Path) -> SavedRun:
    log = capture(b"\x1b[31mone\x1b[0m\n" * 3)
    return write(
        root,
        [
            graded(
                "login", check("tests", 1.0, "", step("tests"), weight=2.0, required=True), tags=("web",), target="a"
            ),
            graded(
                "logout",
                check(
                    "tests",
                    0.0,
                    "exit status 1",
                    step("tests", "exit status 1", stdout=log, argv=("sh", "-c", "a 'b'")),
                ),
                tags=("web", "auth"),
                target="b",
                changes="--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
                restored=("tests/a.py",),
                memory_limit_bytes=64 * MIB,
                wall_seconds=75.0,
            ),
            graded(
                "lost",
                check("style", None, "no program", step("style", "no program", ending=Ending.NOT_STARTED, peak=0)),
                faults=("the sandbox was lost",),
                tags=("auth",),
                target="a",
                memory_limit_bytes=0,
            ),
            graded("last", check("tests", 1.0, "", step("tests")), tags=("auth",), target="b"),
        ],
        ASKED | {"submissions": ["/srv/candidates/model-a", "/srv/candidates/it's"]},
    )


def outline(run: SavedRun) -> str:
    """Return the text of the page, a line a piece, with two spaces for each element around it."""
    page = Page()
    source = "".join(report(run)).replace(str(run.directory), "RUN").replace(run.id, "ID")
    parts: list[tuple[tuple[int, int, str], str]] = []
    # What lies in one element without another between is one piece.
    page.handle_data = lambda data: parts.append(  # type: ignore[method-assign]
        ((len(page.elements), len(page.open), page.open[-1]), data)
    )
    page.feed(source[source.index("<body>") :].removesuffix("</html>\n"))
    lines = []
    for (_, depth, tag), pieces in groupby(parts, key=lambda part: part[0]):
        written = "".join(data for _, data in pieces).strip()
        if written:
            lines.append(f"{'  ' * (depth - 2)}{tag}: {written!r}")
    return "\n".join(lines) + "\n"


def test_the_outline_of_a_page(tmp_path: Path) -> None:
    assert outline(example(tmp_path)) == OUTLINE.read_text("utf-8")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        OUTLINE.write_text(outline(example(Path(scratch))), "utf-8")

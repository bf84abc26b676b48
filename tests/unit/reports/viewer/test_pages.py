"""Every page shows what is there, whatever its address says, and says when nothing has changed."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from fabricated import check, graded, hostile, many
from html_reading import TAGS as TAGS_OF_REPORT
from html_reading import Page
from index_bench import append, listed, named_run

from gradebox.graders.errors import RunRefused
from gradebox.graders.reports.viewer.pages import Viewer
from gradebox.graders.runs.index import run_index
from gradebox.graders.runs.index.run_index import RunIndex

TAGS = TAGS_OF_REPORT | {"button", "nav", "progress", "svg", "input"}
FIELDS = (
    "q", "status", "target", "category", "tag", "case", "submission", "sort", "order", "after", "from", "change", "run"
)  # fmt: skip
ATTACKS = ('"><script>alert(1)</script>', "' OR 1=1; --", "../../etc/passwd", "\u202e\x00", "x" * 5000)
FIRST, SECOND = "20260101-000000-aaaaaa", "20260102-000000-bbbbbb"
ODD = 'n"><img src=x> &%2F'


def made(root: Path) -> Viewer:
    named_run(root, FIRST, many(130))
    named_run(root, SECOND, [*many(130, seed=8), hostile()], tasks=200)
    named_run(root, ODD, [graded("x", check("a", 1.0), repeat=2)])
    index = RunIndex(root)
    index.update()
    return Viewer(index)


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Viewer]:
    viewer = made(tmp_path_factory.mktemp("runs"))
    yield viewer
    viewer.index.close()


@pytest.fixture
def changing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Viewer]:
    """Return a viewer of runs that a test may change."""
    monkeypatch.setattr(run_index, "_REST_SECONDS", 0)
    viewer = made(tmp_path)
    yield viewer
    viewer.index.close()


def read(viewer: Viewer, path: str, **query: str) -> Page:
    answer = viewer.answer(path, query, "")
    assert answer.status is HTTPStatus.OK
    page = Page()
    page.feed(answer.body.decode())
    assert page.open == []
    return page


def links(page: Page) -> list[str]:
    return [attributes["href"] or "" for tag, attributes in page.elements if tag == "a"]


def test_each_page_has_what_it_is_about(viewer: Viewer) -> None:
    runs = read(viewer, "/").written()
    assert all(name in runs for name in (FIRST, SECOND, ODD))
    assert "of 200" in runs
    run = read(viewer, f"/run/{SECOND}").written()
    assert all(word in run for word in ("Distribution", "131 verdicts", "grade --resume", "model-c"))
    assert "repeat" in read(viewer, f"/run/{ODD}").written()
    verdicts = read(viewer, "/verdicts", status="failed").written()
    assert FIRST in verdicts
    assert "✓" not in verdicts
    case = read(viewer, "/case", case="fix-parser-01").written()
    assert FIRST in case
    assert ODD not in case
    compared = read(viewer, "/compare", before=FIRST, after=SECOND).written()
    assert "Changed verdicts" in compared
    assert "p = " in compared
    assert "Nothing is like this" in read(viewer, "/compare", before=FIRST, after=FIRST).written()


def test_a_link_leads_to_a_page(viewer: Viewer) -> None:
    from urllib.parse import parse_qsl, unquote, urlsplit

    seen = set[str]()
    pending = ["/", "/verdicts", "/compare", "/case?case=fix-parser-01"]
    while pending and len(seen) < 60:
        address = pending.pop(0)
        if address in seen or address.startswith("#"):
            continue
        seen.add(address)
        parts = urlsplit(address)
        assert not parts.netloc
        found = links(read(viewer, unquote(parts.path), **dict(parse_qsl(parts.query))))
        # Of many that are alike, the first and the last.
        pending += [*found[:12], *found[-6:]]
    assert len(seen) == 60
    assert {address.split("?")[0].split("/")[1] for address in seen} >= {"", "run", "verdicts", "compare", "case"}


def test_parts_of_a_list_lead_on_and_back(viewer: Viewer) -> None:
    page = read(viewer, f"/run/{FIRST}")
    (following,) = [one for one in links(page) if "after=" in one]
    rows = [one for one in links(page) if one.startswith(f"/run/{FIRST}/")]
    assert len(rows) == 100
    after = following.partition("after=")[2]
    second = read(viewer, f"/run/{FIRST}", after=after)
    others = [one for one in links(second) if one.startswith(f"/run/{FIRST}/")]
    assert len({*rows, *others}) == 130
    (back,) = [one for one in links(second) if "before=" in one]
    first = read(viewer, f"/run/{FIRST}", before=back.partition("before=")[2])
    assert [one for one in links(first) if one.startswith(f"/run/{FIRST}/")] == rows


@pytest.mark.parametrize("path", ["/", "/verdicts", "/case", "/compare", f"/run/{SECOND}"])
@pytest.mark.parametrize(
    "words", ['"><script>alert(1)</script>', "' OR 1=1; --", "../../etc/passwd", "\u202e\x00", "x" * 5000]
)
def test_whatever_an_address_says_is_text(viewer: Viewer, path: str, words: str) -> None:
    fields = (
        "q",
        "status",
        "target",
        "category",
        "tag",
        "case",
        "submission",
        "sort",
        "order",
        "after",
        "from",
        "change",
        "run",
    )
    page = read(viewer, path, **dict.fromkeys(fields, words))
    assert [attributes for tag, attributes in page.elements if tag == "script"] == [
        {"src": "/static/theme.js"}, {"src": "/static/view.js", "defer": None},
    ]  # fmt: skip
    assert {tag for tag, _ in page.elements} <= TAGS


@pytest.mark.parametrize(
    "path",
    ["/run/none", "/run/", "/run/../x", f"/run/{FIRST}/none", "/run/.index.sqlite", f"/run/{FIRST}/" + "00" * 16],
)
def test_what_is_not_there_is_refused(viewer: Viewer, path: str) -> None:
    with pytest.raises(RunRefused):
        viewer.answer(path, {}, "")


@pytest.mark.parametrize(
    "path",
    ["/nowhere", "/static/../pages.py", "/static/", f"/run/{FIRST}/a/b", "/results.jsonl", "//", "", "/static/%2e"],
)
def test_what_is_no_page_is_not_found(viewer: Viewer, path: str) -> None:
    assert viewer.answer(path, {}, "").status is HTTPStatus.NOT_FOUND


def test_a_name_that_is_misspelt_has_a_suggestion(viewer: Viewer) -> None:
    with pytest.raises(RunRefused) as caught:
        viewer.answer("/run/20260101-000000-aaaaab", {}, "")
    assert FIRST in caught.value.remedy


def test_a_page_changes_when_its_run_does(changing: Viewer) -> None:
    path = f"/run/{FIRST}"
    first = changing.answer(path, {}, "")
    assert changing.answer(path, {}, first.tag).status is HTTPStatus.NOT_MODIFIED
    directory = changing.index.root / FIRST
    append(directory, graded("brand-new", check("x", 1.0), number=131))
    changing.index.update()
    second = changing.answer(path, {}, first.tag)
    assert second.status is HTTPStatus.OK
    assert b"131 verdicts" in second.body
    assert b"data-going-on" not in second.body
    with (directory / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        third = changing.answer(path, {}, second.tag)
        assert b"data-going-on" in third.body
        assert b"The run goes on" in third.body
        assert b"running" in changing.answer("/", {}, "").body
    assert changing.answer(path, {}, third.tag).status is HTTPStatus.OK


def test_a_verdict_that_was_graded_again_keeps_its_address(changing: Viewer) -> None:
    row = listed(changing.index, FIRST)[0]
    again = graded(row.case, check("x", 0.0, "now it fails"), target=row.target, submission=row.submission, number=1)
    append(changing.index.root / FIRST, again)
    changing.index.update()
    assert "now it fails" in read(changing, f"/run/{FIRST}/{row.key}").written()


def test_lines_of_ten_megabytes_make_a_page_of_bounded_size(changing: Viewer) -> None:
    long = "<script>" * 1_250_000
    flood = graded("flood", check("x", 0.0, long, details={"text": long[:60_000]}), faults=(long,), number=131)
    append(changing.index.root / FIRST, flood)
    changing.index.update()
    row = listed(changing.index, FIRST)[-1]
    answer = changing.answer(f"/run/{FIRST}/{row.key}", {}, "")
    assert len(answer.body) < 200_000
    assert len(changing.answer("/verdicts", {"q": "flood"}, "").body) < 50_000


def test_the_welcome_leads_nowhere_else(viewer: Viewer) -> None:
    for path, there in (
        ("/run/a b", "/run/a%20b"),
        ("//elsewhere.example", "/"),
        ("x", "/"),
        ('/"><script>', "/%22%3E%3Cscript%3E"),
    ):
        answer = viewer.welcome(path)
        assert answer.enters
        assert f'content="0; url={there}"' in answer.body.decode()

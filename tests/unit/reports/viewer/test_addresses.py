"""Addresses hold any name, and what they say is read back as it was."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote, urlsplit

import pytest

from gradebox.graders.reports.viewer.addresses import ListAddress, number, run_path, to
from gradebox.graders.runs.index.index_queries import VerdictFilter

NAMES = ("a b", "a/b?c#d", '"><script>', "javascript:alert(1)", "ä\u202e", "../..", "%2e%2e", "\udcff")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_stays_a_name(name: str) -> None:
    address = to("/case", case=name, target="")
    assert address.startswith("/case?case=")
    assert not set(address) & set('"<> #')
    shown = name.replace("\udcff", "?")
    assert dict(parse_qsl(urlsplit(address).query)) == {"case": shown}


@pytest.mark.parametrize("name", ["javascript:alert(1)", "//elsewhere.example", "a?b#c"])
def test_a_run_of_any_name_has_an_address_of_this_site(name: str) -> None:
    parts = urlsplit(to(run_path(name)))
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("", "", "", "")
    assert unquote(parts.path) == f"/run/{name}"


def test_a_list_is_read_back() -> None:
    query = {"q": "a b", "status": "failed", "sort": "score", "order": "descending", "after": "7"}
    address = ListAddress.read("/run/x", query, "x")
    assert address.wanted == VerdictFilter("x", "a b", "failed")
    assert (address.sort, address.descending, address.after, address.before) == ("score", True, 7, 0)
    again = dict(parse_qsl(urlsplit(address.page(after=9)).query))
    assert again == {**query, "after": "9"}
    assert "order=ascending" in address.sorted_by("score")
    assert "sort=time" in address.sorted_by("time")
    assert "status" not in address.without("status")
    assert address.verdict("x", "ab").startswith("/run/x/ab?q=a+b")


def test_what_makes_no_sense_is_not_there() -> None:
    address = ListAddress.read("/verdicts", {"sort": "1; DROP TABLE verdicts", "order": "?", "after": "-1", "run": "y"})
    assert address == ListAddress("/verdicts", VerdictFilter(), "started", descending=False)
    assert ListAddress.read("/verdicts", {}).page() == "/verdicts"
    assert ListAddress.read("/verdicts", {}).descending
    assert "within=all" in address.verdict("x", "ab")
    for text in ("", "x", "-1", "1.5", "9" * 20, "\u0664"):
        assert number({"after": text}, "after") == 0

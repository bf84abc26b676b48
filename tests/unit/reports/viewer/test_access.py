"""Who may ask, and how everybody else is refused."""

from __future__ import annotations

import pytest

from gradebox.graders.reports.viewer.access import Access, Admission

ACCESS = Access.at(8000)
HOSTS = ["127.0.0.1:8000"]
COOKIE = ACCESS.cookie.partition(";")[0]


def test_the_address_lets_in_once_and_the_cookie_afterwards() -> None:
    assert ACCESS.address("/run/x") == f"http://127.0.0.1:8000/run/x?token={ACCESS.token}"
    assert ACCESS.admission(HOSTS, {"token": ACCESS.token}, []) is Admission.WELCOME
    assert ACCESS.admission(HOSTS, {"token": ACCESS.token}, [], "cross-site") is Admission.WELCOME
    assert ACCESS.admission(HOSTS, {}, [COOKIE]) is Admission.ALLOWED
    assert ACCESS.admission(["LocalHost:8000"], {}, [f"other=1; {COOKIE}"]) is Admission.ALLOWED


@pytest.mark.parametrize(
    "cookies",
    [
        [],
        [""],
        ["gradebox-8000="],
        [f"gradebox-8001={ACCESS.session}"],
        [f"gradebox-8000={ACCESS.token}"],
        [f"gradebox-8000={ACCESS.session}x"],
        ["gradebox-8000=\xff"],
        ["\0=;;;"],
    ],
)
def test_another_cookie_lets_nobody_in(cookies: list[str]) -> None:
    assert ACCESS.admission(HOSTS, {}, cookies) is Admission.REFUSED


@pytest.mark.timeout(60)
def test_no_header_takes_long_to_refuse() -> None:
    # The standard library takes ten seconds for a tenth of it, and a quarter of an hour for this one.
    assert ACCESS.admission(HOSTS, {}, ['a="' + "\\\\" * 300_000 + '"']) is Admission.REFUSED


@pytest.mark.parametrize(
    "token",
    ["", "x", ACCESS.session, ACCESS.token[:-1], "\ud800", "ä"],
    ids=["empty", "another", "cookie", "cut", "surrogate", "umlaut"],
)
def test_another_token_lets_nobody_in(token: str) -> None:
    assert ACCESS.admission(HOSTS, {"token": token}, []) is Admission.REFUSED


@pytest.mark.parametrize(
    "hosts",
    [
        [],
        ["attacker.example"],
        ["attacker.example:8000"],
        ["127.0.0.1"],
        ["127.0.0.1:8001"],
        ["127.0.0.1:8000.attacker.example"],
        ["127.0.0.1:8000", "attacker.example"],
        ["127.0.0.1:8000", "127.0.0.1:8000"],
    ],
)
def test_another_host_is_not_this_one_whatever_else_is_right(hosts: list[str]) -> None:
    assert ACCESS.admission(hosts, {"token": ACCESS.token}, [COOKIE]) is Admission.WRONG_HOST


@pytest.mark.parametrize(
    ("site", "admission"),
    [
        ("same-origin", Admission.ALLOWED),
        ("none", Admission.ALLOWED),
        ("same-site", Admission.REFUSED),
        ("cross-site", Admission.REFUSED),
    ],
)
def test_a_page_of_another_port_or_site_asks_for_nothing(site: str, admission: Admission) -> None:
    assert ACCESS.admission(HOSTS, {}, [COOKIE], site) is admission


def test_secrets_are_long_and_never_the_same() -> None:
    other = Access.at(8000)
    assert len({ACCESS.token, ACCESS.session, other.token, other.session}) == 4
    assert min(len(ACCESS.token), len(ACCESS.session)) >= 43
    assert ACCESS.cookie.endswith("; HttpOnly; SameSite=Strict; Path=/")

"""Which engine an address means, and what is said of one that means none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from types import SimpleNamespace
from typing import Any

import pytest
from fake_engine import FakeEngine

from gradebox.sandbox.engines import connect as connecting
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.errors import EngineUnavailable


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int]]:
    """The addresses for which Docker was chosen, with their timeouts."""
    calls: list[tuple[str | None, int]] = []
    monkeypatch.delenv(connecting.VARIABLE, raising=False)
    monkeypatch.setattr(docker, "connect", lambda *given: calls.append(given) or FakeEngine())
    return calls


@pytest.mark.parametrize(
    "url",
    ["unix:///run/docker.sock", "tcp://build:2376", "http://b", "https://b", "ssh://me@there", "npipe:////./pipe/d",
     "SSH://there", "build:2375", "build", "192.0.2.1:2376", "/run/docker.sock", None],
)  # fmt: skip
def test_docker_has_the_addresses_of_docker(url: str | None, calls: list[tuple[str | None, int]]) -> None:
    connect(url, timeout_seconds=7)
    assert calls == [(url, 7)]


def test_without_an_address_the_environment_decides(
    calls: list[tuple[str | None, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(connecting.VARIABLE, "ssh://there")
    connect()
    # Docker reads its own variables: certificates go with the address.
    assert calls == [(None, 120)]
    monkeypatch.setenv(connecting.VARIABLE, "moon://there")
    with pytest.raises(EngineUnavailable, match="moon"):
        connect()


@pytest.mark.parametrize("url", ["moon://there", "oic:/socket", "unix2:///run/docker.sock"])
def test_an_unknown_scheme_is_an_error_that_names_the_known_ones(url: str, calls: list[tuple[str | None, int]]) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        connect(url)
    assert url in caught.value.message
    assert caught.value.remedy == "Use one of these schemes: here, http, http+unix, https, npipe, oci, ssh, tcp, unix."
    assert calls == []


def entry(name: str, load: Callable[[], Any]) -> SimpleNamespace:
    return SimpleNamespace(name=name, value=f"gradebox_{name}.engine", load=load)


def test_another_distribution_can_add_an_engine(
    calls: list[tuple[str | None, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = FakeEngine()
    theirs = SimpleNamespace(SCHEMES={"moon", "unix"}, connect=lambda url, timeout_seconds: other)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry("moon", lambda: theirs)])
    assert connect("moon://there") is other
    assert connect("moon:there") is other
    # It takes nothing from ours.
    assert connect("unix:///run/docker.sock") is not other
    assert len(calls) == 1


def test_an_engine_that_cannot_be_loaded_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ImportError("no moon")

    monkeypatch.setattr(metadata, "entry_points", lambda group: [entry("moon", fail)])
    with pytest.raises(EngineUnavailable, match=r"'moon' \(gradebox_moon.engine\) cannot be loaded: .*no moon"):
        connect("moon://there")


def test_two_distributions_cannot_have_the_same_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = SimpleNamespace(SCHEMES=("moon",), connect=lambda url, timeout_seconds: FakeEngine())
    entries = [entry("moon", lambda: kind), entry("luna", lambda: kind)]
    monkeypatch.setattr(metadata, "entry_points", lambda group: entries)
    with pytest.raises(EngineUnavailable, match=r"'moon': gradebox_moon\.engine and gradebox_luna\.engine"):
        connect("moon://there")


def test_choosing_an_engine_does_not_import_its_client() -> None:
    program = (
        "import sys\nfrom gradebox.sandbox.engines.connect import connect\n"
        "try: connect('moon://')\nexcept Exception: pass\n"
        "assert 'gradebox.sandbox.engines.docker' in sys.modules\nassert not {'docker', 'requests'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

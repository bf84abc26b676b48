"""What few open files mean for sandboxes of oci://; tests/docker/test_oci.py starts some with 256."""

from __future__ import annotations

import resource
import sys

import pytest

from gradebox.sandbox.engines.oci import open_files
from gradebox.sandbox.errors import EngineRefused


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that may open 256 files and not raise that."""

    def refuse(*_: object) -> None:
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 256))
    monkeypatch.setattr(resource, "setrlimit", refuse)


@pytest.mark.usefixtures("few")
def test_a_low_limit_is_that_of_sandboxes_and_told() -> None:
    assert open_files.most() == 256
    assert open_files.warnings() == (
        "A process may open 256 files here, so sandboxes get no more, and gVisor does not start.",
    )
    with pytest.raises(EngineRefused, match="may open only 256 files") as caught:
        open_files.demand()
    assert "ulimit -Hn 1024" in caught.value.remedy


def test_a_limit_that_may_be_raised_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(128, 256)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: limits.append(wanted))
    assert open_files.most() == 1024
    assert limits[-1] == (128, 1024)
    assert open_files.warnings() == ()
    open_files.demand()


def test_no_limit_is_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, resource.RLIM_INFINITY))
    assert open_files.most() == sys.maxsize

"""Numbers of Linux, on whatever machine this runs."""

from __future__ import annotations

import errno
import os
import signal
import sys

import pytest

from gradebox.sandbox import linux
from gradebox.sandbox.ending import Fault, decide, fault
from gradebox.sandbox.protocol.frames import Cause
from gradebox.sandbox.types import Command, Ending, ResourceUsage

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="compares with this machine's own numbers")


@on_linux
@pytest.mark.parametrize("number", sorted(linux._TEXTS))
def test_an_error_is_called_as_linux_calls_it(number: int) -> None:
    assert linux.error_text(number) == os.strerror(number)


@on_linux
@pytest.mark.parametrize("known", list(linux.Errno))
def test_an_error_has_the_number_that_linux_gives_it(known: linux.Errno) -> None:
    assert known == getattr(errno, known.name)
    assert known in linux._TEXTS


@on_linux
@pytest.mark.parametrize("number", range(1, 32))
def test_a_signal_is_called_as_linux_calls_it(number: int) -> None:
    assert linux.signal_name(number) == signal.Signals(number).name


@pytest.mark.parametrize("number", [0, -1, 32, 64, 4095])
def test_a_number_without_a_name_stays_one(number: int) -> None:
    assert linux.signal_name(number) == f"signal {number}"
    assert linux.error_text(4096 + number) == f"error {4096 + number}"


def test_what_this_machine_calls_them_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    # As on macOS, where 11 is another error and 10 another signal.
    monkeypatch.setattr(errno, "EAGAIN", 35)
    monkeypatch.setattr(signal, "Signals", lambda _: pytest.fail("this machine was asked"))
    monkeypatch.setattr(os, "strerror", lambda _: pytest.fail("this machine was asked"))
    assert fault(Ending.NOT_STARTED, errno=11) is Fault.OURS
    ended = decide(Cause.ENDED, 10, command=Command(("a",)), usage=ResourceUsage())
    assert ended.detail == "It was ended by SIGUSR1."

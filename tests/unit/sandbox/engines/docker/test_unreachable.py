"""What is said where no Docker Engine answers."""

from __future__ import annotations

import ssl

import pytest

from gradebox.sandbox.engines.docker.unreachable import unreachable

WRAPPED = RuntimeError("Error while fetching the server's version")
WRAPPED.__context__ = FileNotFoundError(2, "No such file or directory")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (TimeoutError("timed out"), "timed out"),
        (ssl.SSLError(1, "certificate verify failed"), "certificate verify failed"),
        (WRAPPED, "No such file or directory"),
        (ValueError("It is no answer."), "It is no answer"),
        (ValueError(), "ValueError"),
    ],
    ids=["refused", "late", "tls", "wrapped", "words", "silent"],
)
def test_the_system_says_why_wherever_it_does(error: Exception, reason: str) -> None:
    assert unreachable(error).message == f"The Docker Engine does not answer: {reason}."


def test_an_address_is_named_and_there_is_something_to_do() -> None:
    said = unreachable(TimeoutError("timed out"), "tcp://build:2376")
    assert said.message == "No Docker Engine answers at tcp://build:2376: timed out."
    assert "DOCKER_HOST" in said.remedy

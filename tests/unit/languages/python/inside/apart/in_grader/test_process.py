"""The candidate's process, as the supervisor tells of it."""

from __future__ import annotations

import errno
import socket
import struct

import pytest

from gradebox.graders.languages.python.inside.apart.in_grader.process import Candidate


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((16, 3 << 8), "with exit status 3"),
        ((16, 9), "by signal 9"),
        ((2, errno.EACCES, 16, 127 << 8), "before it began (Permission denied)"),
        ((18, errno.EPERM), "before it began (Operation not permitted)"),
    ],
)
def test_how_it_ended_is_what_the_supervisor_says(answers: tuple[int, ...], said: str) -> None:
    candidate = Candidate(test_how_it_ended_is_what_the_supervisor_says.__code__)
    candidate.process, supervisor = socket.socketpair()
    supervisor.send(struct.pack(f"{len(answers)}i", *answers))
    supervisor.close()
    assert candidate.stop() == said

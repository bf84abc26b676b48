"""How many gradings the open files of a process allow."""

from __future__ import annotations

import errno
import resource

import pytest

from gradebox.graders.grading.many.descriptors import jobs_within, open_limit, ran_out
from gradebox.sandbox.errors import EngineUnavailable


def test_one_grading_always_fits_and_a_usual_limit_is_enough_for_many() -> None:
    assert jobs_within(1) == 1
    assert jobs_within(10_000) > 2000


def test_the_limit_is_that_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    assert open_limit() == 256
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert open_limit() is None


def test_an_error_that_wraps_too_many_open_files_is_one() -> None:
    error = EngineUnavailable("It does not answer.")
    assert not ran_out(error)
    error.__cause__ = OSError(errno.ECONNREFUSED, "refused")
    assert not ran_out(error)
    error.__cause__.__cause__ = OSError(errno.EMFILE, "Too many open files")
    assert ran_out(error)

"""A candidate that fills a file system does not keep its grader from writing what it expects."""

from __future__ import annotations

import pytest
from apart_sandbox import ApartGrader

from gradebox.sandbox.session import Sandbox


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    """One sandbox serves all tests."""


@pytest.mark.parametrize("place", ["/tmp", "~", "$TMPDIR", "/tmp/a/b"], ids=["shared", "home", "its own", "directory"])
def test_a_grader_can_write_what_it_expects(opened: Sandbox, place: str) -> None:
    line = f"""
        candidate sh -c 'mkdir -p {place}; head -c 200m /dev/zero > {place}/full' 2> /dev/null
        echo 4711 > $TMPDIR/want; cat $TMPDIR/want; head -c 4m /dev/zero > $TMPDIR/more && echo all
        candidate sh -c 'mkdir -p {place}; echo again > {place}/again && cat {place}/again'
    """
    assert ApartGrader(opened).shell(line).split() == ["4711", "all", "again"]


def test_what_others_made_and_small_files_stay(opened: Sandbox) -> None:
    line = """
        candidate sh -c 'echo kept > /tmp/small; echo kept > ~/small'; candidate cat /tmp/small /tmp/home/small
        echo own > /tmp/own; candidate sh -c 'head -c 200m /dev/zero > /tmp/full' 2> /dev/null; cat /tmp/own
        candidate cat /tmp/small || echo gone
    """
    printed = ApartGrader(opened).shell(line, errors=True).split()
    assert printed == ["kept", "kept", "own", "gone"]

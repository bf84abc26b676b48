"""Messages about diffs quote hostile bytes safely."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.submissions.diff.diff_error import shown

row = pytest.param


@given(st.text())
def test_what_is_quoted_in_messages_is_short_and_has_no_control_characters(raw: str) -> None:
    for value in (raw, raw.encode("utf-8", "surrogatepass")):
        quoted = shown(value)
        assert quoted.isprintable()
        assert len(quoted) < 900

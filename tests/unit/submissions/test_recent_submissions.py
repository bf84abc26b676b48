"""Which submissions stay in memory."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from gradebox.graders.submissions import recent_submissions
from gradebox.graders.submissions.source import submission_readers


def test_large_archives_do_not_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_submissions, "MOST", 2)
    sizes = {"small": 1, "large": recent_submissions.MOST_BYTES + 1, "last": 2, "more": 3}
    for name, size in sizes.items():
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            archive.writestr("a", bytes(size))
    read = dict(submission_readers([f"{tmp_path}/{name}.zip" for name in sizes], str))
    assert read["small"]() is read["small"]()
    assert read["large"]().memory_bytes == sizes["large"]
    assert read["large"]() is not read["large"]()
    first = read["small"]()
    read["last"](), read["more"]()
    assert read["small"]() is not first
    assert read["more"]() is read["more"]()

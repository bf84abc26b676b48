"""A file of the case is found by whatever link leads to it."""

from __future__ import annotations

import os
from pathlib import Path

from gradebox.graders.languages.python.inside.apart.in_grader.files.case_files import CaseFiles


def test_links_lead_to_the_file_of_the_case(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    (workspace / "grading").mkdir(parents=True)
    golden = workspace / "grading" / "golden.txt"
    golden.write_text("wanted")
    (tmp_path / "link").symlink_to(golden)
    (tmp_path / "link-to-a-link").symlink_to("link")
    os.link(golden, tmp_path / "hard")
    (tmp_path / "copy").write_text("wanted")
    files = CaseFiles(str(workspace))
    files.digests = {"grading/golden.txt": "", "grading/missing.txt": ""}
    own = ("workspace/grading/golden.txt", "workspace/grading/../grading/golden.txt")
    for name in ("link", "link-to-a-link", "hard", *own):
        assert files.opened(str(tmp_path / name)) == str(golden)
    for name in ("copy", "missing", "workspace"):
        assert files.opened(str(tmp_path / name)) == ""
    assert files.names == {"golden.txt", "missing.txt"}

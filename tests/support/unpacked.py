"""The evidence of a run as files: unpacked by a reader of archives that knows nothing of ours."""

from __future__ import annotations

import tarfile
from pathlib import Path

from gradebox.graders.runs.evidence_log import LOG


def unpacked(run: Path) -> Path:
    """Unpack the log into its run directory, as version 0.1 wrote it, and return the directory of the evidence."""
    if (run / LOG).stat().st_size:
        with tarfile.open(run / LOG) as archive:
            archive.extractall(run, filter="data")
    (run / LOG).unlink()
    return run / "evidence"

"""Which display a run gets."""

from __future__ import annotations

import io
import sys

import pytest
from fabricated import check, graded

from gradebox.graders.cli.display import Display, progress_on
from gradebox.graders.cli.live_progress import LiveProgress
from gradebox.graders.cli.progress import PlainProgress, Progress
from gradebox.graders.model.events import CaseGraded


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("display", "quiet", "stream", "environ", "kind"),
    [
        (Display.AUTO, False, Terminal(), {}, LiveProgress),
        (Display.AUTO, False, Terminal(), {"CI": "true"}, PlainProgress),
        (Display.AUTO, False, Terminal(), {"TERM": "dumb"}, PlainProgress),
        (Display.AUTO, False, io.StringIO(), {}, PlainProgress),
        (Display.AUTO, False, io.StringIO(), {"FORCE_COLOR": "1"}, PlainProgress),
        (Display.AUTO, True, Terminal(), {}, Progress),
        (Display.NONE, False, Terminal(), {}, Progress),
        (Display.LIVE, False, io.StringIO(), {}, LiveProgress),
        (Display.PLAIN, False, Terminal(), {}, PlainProgress),
    ],
)
def test_who_looks_decides_how_it_is_shown(
    monkeypatch: pytest.MonkeyPatch,
    display: Display,
    stream: io.StringIO,
    environ: dict[str, str],
    kind: type,
    *,
    quiet: bool,
) -> None:
    for name in ("CI", "TERM", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    assert type(progress_on(count=3, display=display, quiet=quiet)) is kind


def test_dots_are_counted_line_by_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with progress_on(count=60, display=Display.DOTS) as progress:
        for number in range(60):
            progress.take(CaseGraded(graded("a", check("it", None if number == 3 else float(number != 1)))))
            if number == 54:
                progress.warn("Stopping.")
    assert capsys.readouterr().err.splitlines() == [
        f".F.E{'.' * 46}  50/60",
        ".....  55/60",
        "Stopping.",
        ".....  60/60",
    ]

"""One verdict with all that belongs to it: why, its checks, its commands, what the submission changed, how to rerun it.

Reads the evidence of the verdict and no more of it than is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graders.model.verdict_document import VerdictDocument
from graders.reports import wording as amounts
from graders.reports.html_report.check_table import check_table, findings
from graders.reports.html_report.command_list import command_list, memory_bar
from graders.reports.html_report.diffs import changed_lines, diff_block
from graders.reports.html_report.markup import (
    NOTHING,
    Child,
    Html,
    element,
    joined,
    lines,
    span,
)
from graders.reports.html_report.outputs import STREAM_MAX, Room
from graders.reports.html_report.rerun import Commands
from graders.reports.html_report.vocabulary import badge, moment
from graders.runs.reading import SavedRun
from graders.runs.saved_evidence import changes_of, memory_of, steps_of

_DIFF_MAX = 24 * 1024
# With less room than this for what was printed, what went well is told in a line.
BRIEF_BELOW = 4 * 1024
_PATHS = 30


def article(run: SavedRun, verdict: VerdictDocument, commands: Commands, characters: int) -> Html:
    """Return the whole of a verdict.

    Args:
        run: Where its evidence is kept.
        verdict: Which.
        commands: Of the run.
        characters: How much of the page outputs and diff may take.
    """
    # A diff leaves most of the room to what was printed.
    room = Room(characters)
    brief = characters < BRIEF_BELOW
    in_full = not (brief and verdict.verdict == "passed")
    diff_room = room.take(min(_DIFF_MAX, characters // 3)) if in_full else 0
    return element(
        "article",
        _head(verdict),
        *_warnings(verdict),
        _section("Checks", check_table(verdict)),
        _commands(run, verdict, room, brief=brief),
        _changes(run, verdict, diff_room),
        _rerun(run, verdict, commands, brief=not in_full),
    )


def _head(verdict: VerdictDocument) -> Html:
    facts: list[tuple[str, Child]] = [
        ("submission", verdict.submission),
        ("target", verdict.target),
        ("repeat", str(verdict.repeat) if verdict.repeat > 1 else None),
        ("score", "none" if verdict.score is None else amounts.score(verdict.score)),
        ("threshold", f"{verdict.threshold:g}"),
        ("gated score", amounts.score(verdict.gated_score) if verdict.gated_score != verdict.score else None),
        ("band", verdict.band),
        ("time", amounts.seconds(verdict.wall_seconds)),
        ("started", moment(verdict.started)),
        ("category", verdict.category or None),
        ("tags", joined(*(span("tag", tag) for tag in verdict.tags)) if verdict.tags else None),
        ("image", _image(verdict)),
        ("sandbox", " ".join(filter(None, (verdict.profile, verdict.runtime))) or None),
        ("taken from", verdict.reused or None),
    ]
    return element(
        "header",
        element("h2", badge(verdict.verdict), " ", element("span", verdict.case, class_="name"), tabindex=-1),
        element("dl", *(_fact(name, value) for name, value in facts if value is not None), class_="facts"),
    )


def _fact(name: str, value: Child) -> Html:
    return element("div", element("dt", name), element("dd", value))


def _image(verdict: VerdictDocument) -> Child:
    if not verdict.image:
        return None
    return joined(verdict.image, " ", element("small", verdict.image_id.removeprefix("sha256:")[:12]))


def _warnings(verdict: VerdictDocument) -> Iterator[Html]:
    if verdict.tampering:
        yield element("section", element("h3", "Tampering"), findings(verdict.tampering), class_="callout failed")
    reasons = [reason for reason in verdict.reasons if not reason.startswith("tampering (")]
    if reasons:
        yield element(
            "section",
            element("h3", "Why"),
            element("ul", *(element("li", lines(reason[:2000])) for reason in reasons[:_PATHS])),
            class_=f"callout {verdict.verdict}",
        )
    if verdict.not_enforced:
        listed = element("ul", *(element("li", sentence) for sentence in verdict.not_enforced))
        yield element(
            "section", element("h3", "What the sandbox could not keep to"), listed, class_="callout not_judged"
        )
    yield from _files(verdict)


def _files(verdict: VerdictDocument) -> Iterator[Html]:
    groups = [
        ("Put back as the case has them", verdict.restored, len(verdict.restored)),
        ("Removed, since they steer a test runner", verdict.removed, verdict.removed_count),
        ("Special files left out", verdict.left_out, len(verdict.left_out)),
    ]
    rows = [
        element("div", element("dt", title), element("dd", _paths(paths, count)))
        for title, paths, count in groups
        if count
    ]
    if rows:
        yield _section("Files of the submission", element("dl", *rows, class_="files"))


def _paths(paths: Sequence[str], count: int) -> Html:
    shown = [element("li", element("code", path)) for path in paths[:_PATHS]]
    if count > len(shown):
        shown.append(element("li", f"and {amounts.counted(count - len(shown), 'more', 'more')}"))
    return element("ul", *shown)


def _commands(run: SavedRun, verdict: VerdictDocument, room: Room, *, brief: bool) -> Html:
    steps = steps_of(run, verdict, max_bytes=STREAM_MAX)
    if not steps:
        return NOTHING
    memory = memory_of(run, verdict)
    peak, limit = memory.get("memory_peak_bytes"), memory.get("memory_limit_bytes")
    title = joined(
        "Commands",
        span("aside", joined("sandbox memory ", memory_bar(peak, limit))) if peak else NOTHING,
    )
    return _section(title, command_list(steps, limit, room, brief=brief))


def _changes(run: SavedRun, verdict: VerdictDocument, most: int) -> Html:
    diff = changes_of(run, verdict)
    if not diff:
        return NOTHING
    added, removed = changed_lines(diff)
    counts = joined(
        span("count add", f"+{amounts.number(added)}"), " ", span("count del", f"-{amounts.number(removed)}")
    )
    if not most:
        return _section("Changes", element("p", "What it changes ", counts))
    summary = element("summary", "What it changes ", counts)
    block = diff_block(diff, most)
    return _section("Changes", element("details", summary, block, open=verdict.verdict != "passed", class_="changes"))


def _rerun(run: SavedRun, verdict: VerdictDocument, commands: Commands, *, brief: bool) -> Html:
    again = commands.rerun(verdict)
    return _section(
        "Run it again",
        element(
            "dl",
            _line("grade it once more", again) if again else NOTHING,
            _line("print all that is known of it", commands.show(verdict)),
            NOTHING if brief else _line("its evidence", str(run.evidence(verdict))),
            class_="again",
        ),
    )


def _line(name: str, command: str) -> Html:
    return element("div", element("dt", name), element("dd", element("code", command)))


def _section(title: Child, *children: Child) -> Html:
    return element("section", element("h3", title), *children)

"""The part of a run that candidates may see, as Markdown: for the summary of a CI job or a comment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from gradebox.graders.reports.candidate_report.candidate_page import marks
from gradebox.graders.reports.candidate_report.candidate_record import CandidateCheck, CandidateRecord, CandidateTest
from gradebox.graders.reports.markdown_report import code, escaped, fenced, fitted

_OMITTED = "The rest is omitted for its size."


def candidate_markdown(records: Iterable[CandidateRecord], max_bytes: int) -> Iterator[str]:
    """Yield as many blocks of the document as fit."""
    return fitted(_blocks(list(records)), max_bytes, _OMITTED)


def counted_results(records: Iterable[CandidateRecord]) -> str:
    """Return the numbers of results of each kind, in words."""
    counts = Counter(record.verdict for record in records)
    return ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())) or "no results"


def title_of(record: CandidateRecord) -> str:
    return f"{record.case} / {record.submission}"


def _blocks(records: list[CandidateRecord]) -> Iterator[str]:
    yield f"## gradebox: {escaped(counted_results(records))}\n"
    for record in records:
        yield "".join(_section(record))


def _section(record: CandidateRecord) -> Iterator[str]:
    yield f"\n### {code(title_of(record))}: {record.verdict}\n\n{marks(record.points, record.of)}\n\n"
    yield from (f"- {escaped(sentence, 600)}\n" for sentence in record.told)
    rows = [_row(check) for check in record.checks]
    if record.hidden_checks:
        rows.append(
            f"| hidden checks: {record.hidden_checks} | | {marks(record.hidden_points, record.hidden_of)} | |\n"
        )
    if rows:
        yield "".join(("\n| check | verdict | points | message |\n|---|---|---|---|\n", *rows))
    for check in record.checks:
        yield from _printed(check.name, check.output, check.withheld)
        for test in check.tests:
            yield from _test(test)


def _row(check: CandidateCheck) -> str:
    hidden = f"hidden tests: {check.hidden_tests}" if check.hidden_tests else ""
    said = "; ".join(filter(None, (check.message, hidden)))
    return f"| {code(check.name)} | {check.verdict} | {marks(check.points, check.of)} | {escaped(said)} |\n"


def _test(test: CandidateTest) -> Iterator[str]:
    if test.verdict in ("passed", "accepted"):
        return
    yield f"\n{code(test.name)} {escaped(test.verdict)}{': ' if test.message else ''}{escaped(test.message)}\n"
    for title, text in (("input", test.input), ("expected", test.expected)):
        yield from _printed(title, text, "")
    yield from _printed("output", test.output, test.withheld)


def _printed(title: str, text: str, withheld: str) -> Iterator[str]:
    if text:
        yield f"\n{code(title)}\n\n{fenced(text)}"
    if withheld:
        yield f"\n{code(title)}: {escaped(withheld)}\n"

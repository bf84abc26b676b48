"""The part of a run that candidates may see, as JUnit XML: results are suites, checks and tests are test cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as ET

from gradebox.graders.reports.candidate_report.candidate_markdown import title_of
from gradebox.graders.reports.candidate_report.candidate_page import marks
from gradebox.graders.reports.candidate_report.candidate_record import CandidateRecord
from gradebox.graders.reports.junit_report import clean, xml_text

_ELEMENTS = {"passed": "", "accepted": "", "": "", "not judged": "skipped", "not run": "skipped"}


def candidate_junit(records: Iterable[CandidateRecord]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites name="gradebox">\n'
    for record in records:
        suite = _suite(record)
        ET.indent(suite)
        yield ET.tostring(suite).decode() + "\n"
    yield "</testsuites>\n"


def _suite(record: CandidateRecord) -> ET.Element:
    title = title_of(record).replace("/", ",")
    suite = ET.Element("testsuite", clean({"name": title}))
    counts = Counter(_add_tests(suite, record, title))
    for name, of in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(counts[of]))
    suite.set("tests", str(counts.total()))
    return suite


def _add_tests(suite: ET.Element, record: CandidateRecord, title: str) -> Iterator[str]:
    for check in record.checks:
        said = "\n".join(filter(None, (marks(check.points, check.of), check.message, check.withheld)))
        yield _add(suite, title, check.name, check.verdict, said, check.output)
        for test in check.tests:
            expected = f"expected:\n{test.expected}" if test.expected else ""
            read = f"input:\n{test.input}" if test.input else ""
            said = "\n".join(filter(None, (test.message, read, expected, test.withheld)))
            yield _add(suite, title, f"{check.name}: {test.name}", test.verdict, said, test.output)
    said = "\n".join((marks(record.points, record.of), *record.told))
    yield _add(suite, title, "verdict", record.verdict, said, "")


def _add(suite: ET.Element, title: str, name: str, verdict: str, said: str, output: str) -> str:
    case = ET.SubElement(suite, "testcase", clean({"name": name, "classname": title, "time": "0.000"}))
    element = _ELEMENTS.get(verdict, "error" if verdict == "could not be graded" else "failure")
    if element:
        message = clean({"message": verdict} | ({} if element == "skipped" else {"type": verdict}))
        ET.SubElement(case, element, message).text = xml_text(said)
    if output:
        ET.SubElement(case, "system-out").text = xml_text(output)
    return element

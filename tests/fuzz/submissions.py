"""Fuzzed here: what candidates hand in, as diffs and as files that steer runners, and reports that runners write."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Mapping

from fuzzing import Finding, Target

from gradebox.graders.integrity import tampering_search
from gradebox.graders.integrity.command_scan import CommandScan
from gradebox.graders.model.plan import Role, Step
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, content, overlay
from gradebox.graders.runners.runner import Trees
from gradebox.graders.runners.test_reports.assessment import parser
from gradebox.graders.runners.test_reports.test_report import Unreadable
from gradebox.graders.submissions import diff
from gradebox.graders.submissions.archive import ArchiveRefused, is_archive, read_archive
from gradebox.graders.submissions.overlay import lay
from gradebox.sandbox.archive import ArchiveEntry, EntryKind, check_path, file_entry
from gradebox.sandbox.types import WORKSPACE

BEFORE = Tree(
    {
        path: file_entry(path, text)
        for path, text in {
            "a.py": b"def f():\n    return 1\n\n\ndef g():\n    return 2\n",
            "src/b.txt": b"one\ntwo\nthree",
            "src/c": b"\0binary",
            "empty": b"",
            "sp ace/\xe4".encode("latin-1").decode("utf-8", "surrogateescape"): b"x\n",
        }.items()
    }
    | {
        "src": ArchiveEntry("src", EntryKind.DIRECTORY, 0o755),
        "link": ArchiveEntry("link", EntryKind.LINK, target="/etc"),
    }
)
DIFFS = (
    (
        "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@ def f():\n def f():\n"
        "-    return 1\n+    return 3\n \n@@ -5,2 +5,3 @@\n def g():\n     return 2\n+# end\n"
        "\\ No newline at end of file\n"
    ),
    (
        "diff --git a/src/b.txt b/new/b.txt\nsimilarity index 90%\nrename from src/b.txt\nrename to new/b.txt\n"
        "--- a/src/b.txt\n+++ b/new/b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n"
        "diff --git a/empty b/empty\ndeleted file mode 100644\nindex e69de29..0000000\n"
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\nindex 0000000..1\n--- /dev/null\n+++ b/run.sh\n"
        "@@ -0,0 +1 @@\n+x\n"
    ),
    "--- a/a.py\t2024-01-01\n+++ b/a.py\n@@ -1 +1 @@\n-def f():\n+def h():\n",
    'diff --git "a/sp ace/\\344" "b/sp ace/\\344"\nold mode 100644\nnew mode 100755\ncopy from a.py\ncopy to z.py\n',
)
DIFF_WORDS = (
    *(b"diff --git a/x b/y\n", b"--- a/", b"+++ b/", b"/dev/null", b"@@ -1,2 +1,2 @@\n", b"@@ -0,0 +1 @@\n"),
    *(b"rename from ", b"rename to ", b"copy from ", b"copy to ", b"new file mode 120000\n", b"old mode "),
    *(b"deleted file mode 100644\n", b"\\ No newline at end of file\n", b"GIT binary patch\nliteral 1\n"),
    *(b"Binary files a/x and b/y differ\n", b"../", b'"', b"\\303\\251", b"\\", b"+", b"-", b" ", b"\n", b"\r\n"),
    *(b"\0", b"4294967296", b"link/x", b"src", b"a.py/x", b".git/config"),
)


def patch(data: bytes) -> object:
    """Parse a diff, and lay it over a tree."""
    try:
        patches = diff.parse(data)
    except diff.DiffError as refused:
        return str(refused)[:60]
    laid = lay(BEFORE, Submission("fuzz", Form.DIFF, patches=patches))
    for path, entry in laid.tree.entries.items():
        if check_path(path) or path != entry.path:
            raise Finding(f"The path {path!r} was let through.")
        if entry.kind is EntryKind.FILE:
            content(entry)
    if laid.problem:
        return laid.problem[:80]
    return len(patches), len(laid.tree.entries)


ARCHIVE_WORDS = (
    *(b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"ustar\x0000", b"ustar  \0", b"../", b"/etc/passwd", b"\0" * 512),
    *(b"16 path=../evil\n", b"20 size=99999999999\n", b"GNU.sparse.map=1,2", b"././@LongLink", b"\xff" * 8, b"0000644"),
    *(b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"xgLKSV125", b"\xa1\xff", b".git/config"),
)


def archives() -> list[bytes]:
    """Return honest archives of every form."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.py", "x = 1\n" * 20)
        packed.writestr("d/b", b"")
    found = [stream.getvalue()]
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=form) as tar:
            for name in ("a.py", "d/\u00e4" + "n" * 120):
                member = tarfile.TarInfo(name)
                member.size = 3
                tar.addfile(member, io.BytesIO(b"abc"))
        found += [stream.getvalue(), gzip.compress(stream.getvalue())]
    return found


def archive(data: bytes) -> object:
    """Unpack an archive."""
    if not is_archive(data):
        return None
    try:
        tree = read_archive("fuzz", data).tree
    except ArchiveRefused as refused:
        return str(refused)[:40]
    for path, entry in tree.entries.items():
        if check_path(path) or path != entry.path or entry.kind is EntryKind.LINK:
            raise Finding(f"The member {path!r} was let through.")
        if len(content(entry)) != entry.size:
            raise Finding(f"The member {path!r} has another size.")
    return len(tree.entries)


# What says something to a runner, each as the case has it.
STEERING: Mapping[str, bytes] = {
    "pyproject.toml": b'[project]\nname = "a"\ndependencies = ["b"]\n[tool.pytest.ini_options]\naddopts = "-q -n 4"\n'
    b'testpaths = ["tests"]\n',
    "setup.cfg": b"[metadata]\nname = a\n[tool:pytest]\naddopts = -q\n    --tb=short -p evil\ntestpaths = tests\n",
    "pytest.ini": b"[pytest]\nfilterwarnings =\n    error\n    ignore::a.B\n",
    "pytest.toml": b'[pytest]\naddopts = ["-q"]\n',
    "package.json": b'{"name": "a", "scripts": {"test": "jest"}, "jest": {"testRunner": "./x.js"}, "dependencies": {}}',
    "conftest.py": b"import pytest\n\n\ndef pytest_configure(config):\n    pass\n",
    "bunfig.toml": b'[test]\npreload = ["./a.ts"]\n',
    "jest.config.js": b'module.exports = {reporters: ["./x.js"]}\n',
    "a.pth": b"import os\n",
    "p.dist-info/entry_points.txt": b"[pytest11]\na = evil\n",
}
STEERING_WORDS = (
    *(b"[tool.pytest.ini_options]\n", b"[tool:pytest]\n", b"[pytest]\n", b"addopts = ", b"testpaths = ", b'"**/**/a*"'),
    *(b"filterwarnings = ", b"a::b.c", b"'", b'"', b"\\", b"\n ", b"[[a]]\n", b"a.b.c.", b"{", b"[" * 300, b"// x\n"),
    *(
        b'"scripts": {',
        b'"jest": {',
        b"\xef\xbb\xbf",
        b"NaN",
        b"1e999",
        b"def pytest_",
        b"os._exit(0)",
        b"preload",
        b"#",
    ),
)
CASES_OWN = Tree({path: file_entry(path, text) for path, text in STEERING.items()})
TESTS = Tree({path: file_entry(path, b"") for path in ("tests/test_a.py", "test_b.py", "a.test.js")})
COMMAND = ("sh", "-c", "pytest; npm test; bun test; python -m unittest")


def steering(data: bytes) -> object:
    """Hold a file against the case's own, and against none."""
    name = list(STEERING)[data[0] % len(STEERING)] if data else "setup.cfg"
    saw = []
    for before in (TESTS, overlay(TESTS, CASES_OWN)):
        brought = Tree({name: file_entry(name, data[1:])})
        trees = Trees(before, Tree(), overlay(before, brought), protect=("pyproject.toml",))
        step = Step(Role.CHECK, "it", COMMAND, WORKSPACE, 1.0, mentions=COMMAND)
        found = tampering_search.find(trees, "grading", CommandScan(trees, (step,), content))
        for entry in found.restored:
            if entry.path != name:
                raise Finding(f"{entry.path} was put back for {name}.")
        saw.append((len(found.tampering), len(found.restored), name in found.removed))
    return saw


REPORTS: Mapping[str, bytes] = {
    "junit": b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites><testsuite name="s" tests="3"><properties/>'
    b'<testcase name="a" classname="m.C" time="0.1"/><testcase name="b">'
    b'<failure message="x">y &lt; z</failure></testcase>'
    b'<testcase name="c"><skipped/></testcase><system-out><![CDATA[text]]></system-out></testsuite></testsuites>',
    "ctrf": json.dumps(
        {
            "results": {
                "tool": {"name": "t"},
                "summary": {"tests": 2, "passed": 1, "failed": 1},
                "tests": [
                    {"name": "a", "status": "passed", "duration": 1},
                    {"name": "b", "status": "failed", "suite": ["s"]},
                ],
            }
        }
    ).encode(),
    "tap": b"TAP version 14\n1..3\nok 1 - a # SKIP no\nnot ok 2 b\n  ---\n  message: x\n  ...\n"
    b"# Subtest: s\n    1..1\n    ok 1\nok 3 - s\n",
}
REPORT_WORDS = (
    *(b"<testcase>", b"</testcase>", b"<testsuite>", b"<failure/>", b"<error/>", b"<skipped/>", b"<![CDATA[", b"]]>"),
    *(b"<!--", b"-->", b'<!DOCTYPE a [<!ENTITY b "c">]>', b"&b;", b"&#0;", b"&#x41;", b'encoding="UTF-16"', b"<?x ?>"),
    *(b'name="', b'"passed"', b'"tests":', b"ok 1", b"not ok", b"1..0", b"1..99999999999", b"Bail out!", b"# TODO"),
    *(b"    ", b"---\n", b"...\n", b"pragma +strict\n", b"NaN", b"[" * 200, b"<a>" * 200),
)


def report(parse: Callable[[bytes], object]) -> Callable[[bytes], object]:
    """Return what reads a report of one format."""

    def attempt(data: bytes) -> object:
        try:
            read = parse(data)
        except Unreadable as refused:
            return str(refused)[:60]
        return str(read)[-120:]

    return attempt


TARGETS = (
    Target("diffs", [text.encode() for text in DIFFS], DIFF_WORDS, patch),
    Target("archives", archives(), ARCHIVE_WORDS, archive),
    Target("steering", [bytes([at]) + text for at, text in enumerate(STEERING.values())], STEERING_WORDS, steering),
    *(Target(f"report-{name}", [text], REPORT_WORDS, report(parser(name))) for name, text in REPORTS.items()),
)

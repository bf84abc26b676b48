"""Reports as test runners write them, and what they say: ``+passed -failed ~skipped``, by full names."""

from __future__ import annotations

NODE_TODO = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites>
  <testsuite name="o" errors="0" tests="2" failures="1" skipped="1">
    <testcase name="fine" classname="test"/>
    <testcase name="later" classname="test" failure="x">
      <skipped type="todo" message="why"/><failure type="testCodeFailure" message="x">x</failure>
    </testcase>
  </testsuite>
</testsuites>"""
BUN = b"""<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="3" failures="1" skipped="1">
  <testsuite name="a.test.ts" failures="1">
    <testsuite name="outer" failures="1">
      <testsuite name="inner" failures="1">
        <testcase name="bad" classname="inner &gt; outer" line="2">
          <failure type="AssertionError" message="&#10;"/>
        </testcase>
      </testsuite>
      <testcase name="sk" classname="outer"><skipped /></testcase>
    </testsuite>
    <testcase name="top" classname="" />
  </testsuite>
</testsuites>"""
JUNIT: dict[str, tuple[bytes, str]] = {
    "pytest": (
        (
            b'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" errors="1" failures="1">'
            b'<testcase classname="t.TestX" name="test_p[a b]" time="0.0" />'
            b'<testcase classname="t" name="test_bad"><failure message="assert 0">E &gt; x</failure></testcase>'
            b'<testcase classname="t" name="test_td" />'
            b'<testcase classname="t" name="test_td"><error message="failed on teardown with x"/></testcase>'
            b'<testcase classname="t" name="test_xf"><skipped type="pytest.xfail" message="" /></testcase>'
            b"</testsuite></testsuites>"
        ),
        "+t.TestX::test_p[a b] -t::test_bad -t::test_td ~t::test_xf",
    ),
    "a file that cannot be collected": (
        (
            b'<testsuites><testsuite><testcase classname="" name="test_b"><error message="collection failure">x'
            b"</error></testcase></testsuite></testsuites>"
        ),
        "!test_b",
    ),
    "a test that failed, and its teardown too": (
        (
            b'<testsuite><testcase classname="t" name="a"><failure message="f"/></testcase>'
            b'<testcase classname="t" name="a"><error message="failed on teardown with x"/></testcase></testsuite>'
        ),
        "-t::a",
    ),
    "two tests of one name": (
        b'<testsuite><testcase name="a"/><testcase name="a"><error/></testcase></testsuite>',
        "+a -a",
    ),
    "unittest, a module that cannot be loaded": (
        (
            b'<testsuite><testcase classname="unittest.loader._FailedTest" name="tests.test_b"><error message="No">'
            b"x</error></testcase></testsuite>"
        ),
        "!tests.test_b",
    ),
    "vitest, a file that cannot be loaded": (
        (
            b'<testsuite name="src/b.test.ts" tests="1" failures="1"><testcase classname="src/b.test.ts" '
            b'name="src/b.test.ts"><failure message="no"/></testcase></testsuite>'
        ),
        "!src/b.test.ts",
    ),
    "node, a file whose program ended": (
        (
            b'<testsuites><testcase name="/workspace/b.mjs" classname="test" failure="test failed"><failure>'
            b"[Error: test failed] { failureType: 'testCodeFailure', cause: 'test failed', exitCode: 1, signal: null }"
            b"</failure></testcase></testsuites>"
        ),
        "!/workspace/b.mjs",
    ),
    "Go, a package that does not compile": (
        b'<testsuite><testcase classname="p" name="[build failed]"><failure message="Failed"/></testcase></testsuite>',
        "!p",
    ),
    "node, to be done": (NODE_TODO, "+test::fine ~test::later"),
    "bun, nested": (BUN, "-inner > outer::bad ~outer::sk +top"),
    "tests without a suite": (b'<testsuites><testcase name="a" classname="test"/></testsuites>', "+test::a"),
    "one suite": (b'<testsuite name="s"><properties/><testcase name="a"/><system-out>x</system-out></testsuite>', "+a"),
    "a suite that was not loaded": (b'<testsuites><testsuite name="s" errors="1" tests="0"/></testsuites>', "!s"),
    "a suite with an error": (
        b'<testsuite name="s"><error message="setUpClass"/><testcase name="a"/></testsuite>',
        "+a -s",
    ),
    "totals of suites are not counted again": (
        (
            b'<testsuites failures="2">'
            b'<testsuite name="s" failures="1"><testcase name="a"><failure/></testcase></testsuite>'
            b'<testsuite name="u" failures="1"/></testsuites>'
        ),
        "-a !u",
    ),
    "a total that is not a number": (b'<testsuite name="s" failures="9999999999999999" errors="-1"/>', ""),
    "not run": (
        b'<testsuite><testcase name="a" status="notrun"/><testcase name="b" status="run"/></testsuite>',
        "~a +b",
    ),
    "skipped and failed": (b'<testsuite><testcase name="a"><skipped/><failure/></testcase></testsuite>', "-a"),
    "jest, outside of any suite": (
        b'<testsuite><testcase classname=" top" name=" top" time="0"/></testsuite>',
        "+top::top",
    ),
    "no tests": (b"<testsuites/>", ""),
    "a namespace": (b'<j:testsuite xmlns:j="u"><j:testcase name="a"/></j:testsuite>', "+a"),
    "UTF-16": (
        '<?xml version="1.0" encoding="utf-16"?><testsuite><testcase name="\u00e4"/></testsuite>'.encode("utf-16"),
        "+\u00e4",
    ),
    "Latin 1": (
        b'<?xml version="1.0" encoding="iso-8859-1"?><testsuite><testcase name="\xe4"/></testsuite>',
        "+\u00e4",
    ),
}
CTRF: dict[str, tuple[bytes, str]] = {
    "every state": (
        (
            b'{"reportFormat": "CTRF", "specVersion": "0.0.0", "results": {"tool": {}, "summary": {"failed": 1},'
            b'"tests": [{"name": "a", "status": "passed", "duration": 1}, {"name": "b", "status": "failed"},'
            b'{"name": "c", "status": "skipped"},'
            b'{"name": "d", "status": "pending"}, {"name": "e", "status": "other"}]}}'
        ),
        "+a -b ~c ~d ~e",
    ),
    "suites": (
        (
            b'{"results": {"tests": [{"name": "a", "status": "passed", "suite": ["f", "g"], "filePath": "x.ts"},'
            b'{"name": "b", "status": "passed", "suite": "f > g"},'
            b'{"name": "c", "status": "passed", "filePath": "x.ts"},'
            b'{"name": "d", "status": "passed", "suite": []}, {"name": "e", "status": "passed", "suite": [1, "h"]}]}}'
        ),
        "+f > g::a +f > g::b +x.ts::c +d +h::e",
    ),
    "a summary that knows more": (b'{"results": {"summary": {"failed": 2}, "tests": []}}', "-summary"),
    "a byte order mark": (b'\xef\xbb\xbf{"results": {"tests": []}}', ""),
}
NODE_TAP = b"""TAP version 13
# Subtest: outer
    # Subtest: ok
    ok 1 - ok
      ---
      duration_ms: 0.1
      ...
    # Subtest: inner
        not ok 1 - bad \\# x
          ---
          stack: |-
            not ok 7 - not a test
            1..9
          ...
        not ok 2 - later # TODO why
        ok 3 - sk # SKIP
        1..3
    not ok 2 - inner
      ---
      failureType: 'subtestsFailed'
      ...
    1..2
not ok 1 - outer
# Subtest: top
    ok 1 - sub
    1..1
ok 2 - top
1..2
# fail 1
"""
TAP: dict[str, tuple[bytes, str]] = {
    "version 12": (b"1..3\nok 1 - first\nnot ok 2 second\nok\n", "+first -second +#3"),
    "node": (NODE_TAP, "+outer::ok -outer > inner::bad # x ~outer > inner::later ~outer > inner::sk +top::sub"),
    "a plan at the end, other line ends": (b"TAP version 14\r\nok 1 - a\r\n1..1\r\n", "+a"),
    "everything skipped": (b"1..0 # skip no engine\n", ""),
    "directives": (
        b"1..5\nok 1 a # skip x\nnot ok 2 b # TODO\nok 3 - c #4\nok 4 d\\# skip\nok 5 # Skipped: e",
        "~a ~b +c #4 +d# skip ~#5",
    ),
    "a test that failed after its subtests": (b"    ok 1 - a\n    1..1\nnot ok 1 - b\n1..1\n", "+b::a -b"),
    "a test to be done with its subtests": (b"    not ok 1 - a\n    1..1\nnot ok 1 - b # TODO\n1..1\n", "~b::a"),
    "a subtest that failed in a test that did not": (b"    not ok 1 - a\nok 1 - b\n1..1\n", "-b::a"),
    "noise": (
        b"pragma +strict\nokay\n  ok 9 - odd\n            ok 9 - too deep\n    1..7\nok 1 - a\n1..1\nnothing",
        "+a",
    ),
    "a block that never ends": (b"ok 1 - a\n  ---\n  x\nok 2 - b\n1..2", "+a +b"),
    "node, a file whose program ended": (
        b"TAP version 13\nnot ok 1 - /workspace/b.mjs\n  ---\n  exitCode: 1\n  ...\nnot ok 2 - a\n1..2\n",
        "!/workspace/b.mjs -a",
    ),
    "bats, a file that cannot be read": (b"1..1\nnot ok 1 bats-gather-tests\n", "!bats-gather-tests"),
    "names that begin with digits": (b"1..2\nok 2nd\nok - - dash", "+2nd +- dash"),
    "bytes that are not text": (b"1..1\nok 1 - \xff\n", "+\ufffd"),
}

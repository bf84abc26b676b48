"""Which lines of a shell script let a submission decide, and which similar ones do not."""

from __future__ import annotations

import pytest

from gradebox.graders.authoring.shell_hazards import (
    GIVES_REST,
    MEASURES,
    MIXES,
    PUBLIC,
    RUNS_CODE,
    SHARED,
    UNPACKS,
    of_shell,
)

_NAMED = [
    ('eval "$(cat answer)"', "eval", RUNS_CODE),
    (". ./answer.sh", ".", RUNS_CODE),
    ('awk "BEGIN { d = ($got) - ($want); exit !(d < 0.01) }"', "awk", RUNS_CODE),
    ('awk -F, "{ print $1 + ${got} }" file', "awk", RUNS_CODE),
    ('x=$(python3 -c "print($got * 2)")', "python3", RUNS_CODE),
    ('test "$(jq -r --arg a "$b" "$filter" out.json)" = 1', "jq", RUNS_CODE),
    ('perl -ne "print if /`cat answer`/"', "perl", RUNS_CODE),
    ('bash -c "test $got = 3"', "bash", RUNS_CODE),
    ("mkdir out; tar -C out -xzf release.tar.gz", "tar", UNPACKS),
    ("tar xf release.tar", "tar", UNPACKS),
    ("unzip -q release.zip", "unzip", UNPACKS),
    ('cat cases | while read -r a b; do\n  got=$(candidate ./app "$a")\ndone', "candidate", GIVES_REST),
    ("while read -r a; do candidate ./app; done <<END\n1\nEND", "candidate", GIVES_REST),
    ("while read -r a; do\n  candidate ./app\ndone < <(sort cases)", "candidate", GIVES_REST),
    ("is() {\n  x=$(candidate ./app)\n}\nwhile read -r a; do\n  is $a\ndone <<E\n1\nE", "is", GIVES_REST),
    ("is() { candidate ./app; }\nwhile read -r a; do is $a; done < <(sort x)", "is", GIVES_REST),
    ('candidate ./app < /dev/null | grep -qxF -e "$2" || exit 1', "grep", PUBLIC),
    ("sort cases > /tmp/expected\ncandidate ./app > out", "/tmp/expected", SHARED),
    ("time -p candidate ./app", "time -p candidate", MEASURES),
    ("{\n  echo 1..1\n  candidate ./app\n  echo ok\n} | grep ok", "candidate", MIXES),
    ("for a in 1 2; do\n  candidate ./app $a && echo passed\ndone > results", "candidate", MIXES),
]


@pytest.mark.parametrize(("text", "call", "why"), _NAMED, ids=[text.split("\n")[0] for text, _, _ in _NAMED])
def test_a_line_that_lets_a_submission_decide_is_named(text: str, call: str, why: str) -> None:
    [(at, named, reason)] = of_shell(f"# first\n{text}\n")
    assert (named, reason) == (call, why)
    assert f"# first\n{text}"[at:].startswith(call)


_FINE = [
    ". grading/lib.sh",
    'source "$(dirname "$0")/lib.sh"',
    'awk -v got="$got" -v want="$want" \'BEGIN { exit !(got == want) }\'',
    "awk '{ print $1 }' \"$file\"",
    'awk -f grading/mean.awk "$file"',
    "python3 -c 'print($x)' \"$got\"",
    'python3 grading/judge.py "$got"',
    'awk "BEGIN { print \\$1 }"',
    'sh -c "ls $TMPDIR"',
    "jq -r --arg a \"$b\" '.[$a]' out.json",
    "candidate tar xf release.tar",
    "tar cf release.tar out",
    "# tar xf release.tar",
    "while read -r a; do candidate ./app $a; done < grading/cases",
    "cat cases | while read -r a; do candidate ./app < /dev/null; done",
    "cat cases | while read -r a; do echo $a | candidate ./app; done",
    "{\n  got=$(candidate ./app)\n  candidate ./app > /dev/null\n  candidate ./app | sort\n} > results",
    "{\n  candidate ./app\n} < given",
    "candidate ./app > out",
    "is() {\n  candidate ./app < /dev/null\n}\nwhile read -r a; do\n  is $a\ndone <<E\n1\nE",
    "candidate ./app | grep -qxF 9",
    'candidate ./app | grep -f "$TMPDIR/words"',
    'candidate ./app "$1" || grep "$2" out',
    "candidate ./app > /tmp/actual",
    "sort cases > /tmp/expected",
    "time ./app",
]


@pytest.mark.parametrize("text", _FINE)
def test_a_similar_line_is_not(text: str) -> None:
    assert list(of_shell(text + "\n")) == []

"""The files of the cases that ``grade init`` writes, by language. Text only.

Each is a whole case in small: its reference passes, its untouched workspace fails, and a wrong submission is kept
beside them, so that ``grade check`` has nothing to say against it.
"""

from __future__ import annotations

from collections.abc import Mapping

_CASE = """\
# A case for `grade`. Here:
#
#   workspace/     what a candidate starts from
#   grading/       hidden tests; they are in the sandbox only while a check that names them runs
#   reference/     your own solution, laid over the workspace; it proves that the case can be passed
#   submissions/   other people's work, and verdicts.yaml, which says what each of them must get
#
#   grade validate .              is this file right?
#   grade check .                 is the case fair?
#   grade --case . --reference    how is one submission graded?
#
# The id is the directory's name. `grade schema --markdown` describes every field.

description: Count the words of a text.
category: example
tags: [LANGUAGE]
language: LANGUAGE

# The task, as a candidate reads it.
input: |
TASK
# What success is, in words; shown in reports, not graded by itself.
criteria: Words are counted, whatever blanks stand between them.

limits:
  memory: 256m
  command_timeout_seconds: 10
execution:
  # The score from which the case is passed. A required check that fails closes it whatever the score is.
  threshold: 0.8

# Files of the workspace that submissions cannot change: they are put back before every check.
protect: ["README.md"]

assertions:
  # Asks the program from outside, in a process of its own: exit status 0 is score 1, anything else 0. Nothing that the
  # candidate prints, and no way in which it exits, ends these tests with success.
  - name: behaviour
    type: code-grader
    command: COMMAND
    weight: 2
    required: true

# Each example is a check item: a process of its own, with the candidate's code loaded anew. Score: passed / all.
"""

_README = """\
# Word count

`PROGRAM` reads a text on standard input and prints how many words it has. A word is what stands between blanks; blanks
are spaces, tabs and line ends.
"""

_NOTES = "Nothing was done here. This must not pass.\n"

_PYTHON_TASK = """\
  Write words.py as README.md describes it: `count_words(text)` returns the number of words in a text, and
  `python3 words.py` prints it for standard input. Python 3.11, standard library only.
"""
_BASH_TASK = """\
  Write words.sh as README.md describes it: `bash words.sh` prints the number of words on standard input. Bash and the
  programs of a small Debian, nothing else.
"""

_PYTHON: Mapping[str, str] = {
    "case.yaml": _CASE.replace("LANGUAGE", "python")
    .replace("TASK", _PYTHON_TASK)
    # `-I` keeps the workspace off the judge's own import path.
    .replace("COMMAND", '["python3", "-I", "grading/check_words.py"]')
    + """\
examples_setup: from words import count_words
examples:
  - assert count_words("to be or not to be") == 6
  - assert count_words("") == 0
  - assert count_words("two  spaces\\tand\\na line end\\n") == 6
""",
    "workspace/README.md": _README.replace("PROGRAM", "python3 words.py"),
    "workspace/words.py": '''\
"""Count words."""


def count_words(text: str) -> int:
    raise NotImplementedError
''',
    "grading/check_words.py": '''\
"""Asks words.py from outside. Candidates never see this file."""

import subprocess
import sys

TEXTS = {"one\\n": 1, "to be or not to be\\n": 6, "  \\t\\n": 0, "a\\n\\nb  c\\td": 4, "": 0}

for text, wanted in TEXTS.items():
    ran = subprocess.run([sys.executable, "words.py"], input=text, capture_output=True, text=True, timeout=5)
    if ran.stdout.strip() != str(wanted):
        sys.exit(f"words.py printed {ran.stdout[:100]!r} for {text!r}, {wanted} was expected\\n{ran.stderr[-500:]}")
''',
    "reference/words.py": '''\
"""Count words."""

import sys


def count_words(text: str) -> int:
    return len(text.split())


if __name__ == "__main__":
    print(count_words(sys.stdin.read()))
''',
    "submissions/nothing-done/NOTES.md": _NOTES,
    "submissions/spaces-only/words.py": '''\
"""Count words; wrong where a blank is not one space."""

import sys


def count_words(text: str) -> int:
    return len(text.split(" "))


if __name__ == "__main__":
    print(count_words(sys.stdin.read()))
''',
    "submissions/verdicts.yaml": """\
# What each submission of this case must get; `grade check` compares. `reference` is the case's own.

reference:
  verdict: passed
  score: 1
  checks: {behaviour: 1, examples: 1}

nothing-done:
  verdict: failed
  score: 0
  checks: {behaviour: 0, examples: 0}

spaces-only:
  verdict: failed
  checks: {behaviour: 0, examples: 0.333}
""",
}

_BASH: Mapping[str, str] = {
    "case.yaml": _CASE.replace("LANGUAGE", "bash")
    .replace("TASK", _BASH_TASK)
    .replace("COMMAND", '["bash", "grading/check-words.sh"]')
    + """\
examples:
  - test "$(echo 'to be or not to be' | bash words.sh)" = 6
  - test "$(bash words.sh < /dev/null)" = 0
  - test "$(printf 'two  spaces\\tand\\na line end\\n' | bash words.sh)" = 6
""",
    "workspace/README.md": _README.replace("PROGRAM", "bash words.sh"),
    "workspace/words.sh": "# Prints how many words standard input has.\nexit 1\n",
    "grading/check-words.sh": """\
# Asks words.sh from outside. Candidates never see this file.
set -u

# expect COUNT TEXT: TEXT may hold \\t and \\n.
expect() {
    local found
    found=$(printf '%b' "$2" | timeout 5 bash words.sh | head -c 100)
    if [ "$found" != "$1" ]; then
        printf 'words.sh printed %q for %q, %s was expected\\n' "$found" "$2" "$1" >&2
        exit 1
    fi
}

expect 1 'one\\n'
expect 6 'to be or not to be\\n'
expect 0 '  \\t\\n'
expect 4 'a\\n\\nb  c\\td'
expect 0 ''
""",
    "reference/words.sh": """\
# Prints how many words standard input has.
count=0
while read -r -a words || [ "${#words[@]}" -gt 0 ]; do
    count=$((count + ${#words[@]}))
done
echo "$count"
""",
    "submissions/nothing-done/NOTES.md": _NOTES,
    "submissions/first-line-only/words.sh": """\
# Prints how many words standard input has; wrong where there is more than one line.
read -r -a words
echo "${#words[@]}"
""",
    "submissions/verdicts.yaml": """\
# What each submission of this case must get; `grade check` compares. `reference` is the case's own.

reference:
  verdict: passed
  score: 1
  checks: {behaviour: 1, examples: 1}

nothing-done:
  verdict: failed
  score: 0
  checks: {behaviour: 0, examples: 0}

first-line-only:
  verdict: failed
  checks: {behaviour: 0, examples: 0.667}
""",
}

TEMPLATES: Mapping[str, Mapping[str, str]] = {"python": _PYTHON, "bash": _BASH}

"""Code out of answers: which fence becomes which file, for honest answers and for others."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.model.case import Case, Place
from gradebox.graders.model.submission import Form, Submission
from gradebox.graders.model.tree import Tree, content, parents
from gradebox.graders.submissions.answer import (
    MAX_LINES,
    AnswerRefused,
    default_file,
    extract_code,
    fences,
    files_of_answer,
    read_answer,
)
from gradebox.graders.submissions.transcript_json import parse_transcript
from gradebox.sandbox.archive import check_path

PYTHON = "solution.py"


@pytest.mark.parametrize(
    ("text", "files"),
    [
        # Prose around one fence
        ("Sure!\n\n```python\nx = 1\n```\nThat's it.", {PYTHON: "x = 1\n"}),
        ("```py\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("```Python3\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("~~~python\nx = 1\n~~~", {PYTHON: "x = 1\n"}),
        ("```{.python .numberLines}\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("\r\n```python\r\nx = 1\r\ny = 2\r\n```\r\n", {PYTHON: "x = 1\ny = 2\n"}),
        # Indentation, as below a bullet
        ("- so:\n  ```python\n  if x:\n      y\n  ```\n", {PYTHON: "if x:\n    y\n"}),
        ("```python\ndef f():\n    '''\n    ```\n    f()\n    ```\n    '''\n```\nDone.", {PYTHON: None}),
        ("1. so:\n\n   ```python\n   x = 1\n   ```\n", {PYTHON: "x = 1\n"}),
        ("- a\n  - b\n    ```python\n    x = 1\n    ```\n", {PYTHON: "x = 1\n"}),
        ("> ```python\n> x = 1\n> ```\n", {PYTHON: "x = 1\n"}),
        ("    ```text\n    x\n    ```\n\n```python\nx = 1\n```\n", {PYTHON: "x = 1\n"}),
        # Which fences count
        ("```text\noutput\n```\n```python\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("```python\nx = 1\n```\nand\n```python\ny = 2\n```", {PYTHON: "x = 1\n\ny = 2\n"}),
        ("```\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("```\nnot this\n```\n```python\nx = 1\n```", {PYTHON: "x = 1\n"}),
        ("```julia\nx = 1\n```", {}),
        ("```text\noutput\n```", {}),
        # Endings and lengths of fences
        ("````python\n```\n````", {PYTHON: "```\n"}),
        ("```python\nx = 1\n`````", {PYTHON: "x = 1\n"}),
        ("```python\nx = 1\n~~~\n", {PYTHON: "x = 1\n~~~\n"}),
        ("```python\nx = 1\n``` python", {PYTHON: "x = 1\n``` python\n"}),
        ("```python\ncut off", {PYTHON: "cut off\n"}),
        ("```python\ncut off\n", {PYTHON: "cut off\n"}),
        ("```python\n```", {}),
        # No fence: the whole text is code
        ("x = 1", {PYTHON: "x = 1\n"}),
        ("Use ```x``` here.", {PYTHON: "Use ```x``` here.\n"}),
        ("", {}),
        ("  \n ", {}),
        # Paths
        ("```python src/app.py\nx\n```", {"src/app.py": "x\n"}),
        ("```python app.py\nx\n```", {"app.py": "x\n"}),
        ("```python path=src/app.py\nx\n```", {"src/app.py": "x\n"}),
        ('```python title="my app.py"\nx\n```', {"my app.py": "x\n"}),
        ("```python {path=src/app.py}\nx\n```", {"src/app.py": "x\n"}),
        ("```python:src/app.py\nx\n```", {"src/app.py": "x\n"}),
        ("```src/app.py\nx\n```", {"src/app.py": "x\n"}),
        ("```js ./web/a.js\nx\n```", {"web/a.js": "x\n"}),
        ("```py /workspace/a.py\nx\n```", {"a.py": "x\n"}),
        ("```python a.py\n1\n```\n```python\nusage()\n```", {"a.py": "1\n"}),
        ("```python a.py\n1\n```\n```python b.py\n2\n```\n```python a.py\n3\n```", {"a.py": "3\n", "b.py": "2\n"}),
        ("```python a.py\n```", {"a.py": ""}),
        # What only looks like a path
        ("```python 3.11\nx\n```", {PYTHON: "x\n"}),
        ("```python exec\nx\n```", {PYTHON: "x\n"}),
        ("```python linenos=a.b\nx\n```", {PYTHON: "x\n"}),
    ],
)
def test_files(text: str, files: dict[str, str | None]) -> None:
    found = files_of_answer(text, "python", PYTHON)
    assert list(found) == list(files)
    assert {path: found[path] for path, code in files.items() if code is not None} == {
        path: code for path, code in files.items() if code is not None
    }


@pytest.mark.parametrize(
    ("language", "path", "files"),
    [
        (None, None, {}),
        (None, "main.c", {"main.c": "int x;\n"}),
        (None, "src/main.py", {"src/main.py": "x\n"}),
        (None, "main.rs", {}),
        ("python", None, {}),
        ("julia", "answer.jl", {}),
    ],
)
def test_where_the_case_says(language: str | None, path: str | None, files: dict[str, str]) -> None:
    assert files_of_answer("```c\nint x;\n```\n```python\nx\n```", language, path) == files


def test_the_only_fence_counts_where_the_case_has_no_language() -> None:
    assert files_of_answer("```rust\nfn main() {}\n```", None, "main.rs") == {"main.rs": "fn main() {}\n"}


@pytest.mark.parametrize(
    "path",
    [
        "../up.py",
        "a/../../up.py",
        "/etc/passwd.d/x",
        "/workspace/../etc/x.d",
        "a//b.py",
        ".git/hooks/post-checkout",
        "a\\b.py",
        "a/./b.py",
        "a/\u202eb.py",
        "a/\udc80.py",
        "x" * 300 + "/y.py",
        "/".join(["d"] * 500) + "/y.py",
    ],
)
def test_a_path_that_no_submission_may_bring_is_refused(path: str) -> None:
    with pytest.raises(AnswerRefused, match="The answer names the file"):
        files_of_answer(f"```python path={path}\nx\n```", "python", PYTHON)


def test_a_file_cannot_be_a_directory_too() -> None:
    with pytest.raises(AnswerRefused, match="below it"):
        files_of_answer("```sh a/b\n1\n```\n```sh a/b/c\n2\n```", "bash", "solution.sh")


def test_there_is_an_end_to_how_many_files_an_answer_brings() -> None:
    with pytest.raises(AnswerRefused, match="more than 1000 files"):
        files_of_answer("".join(f"```sh d/{n}\nx\n```\n" for n in range(1001)), "bash", None)


names = st.text("abcdefghij-_.", min_size=1, max_size=8).filter(lambda name: name.strip(".") and name != ".git")
paths = st.builds("/".join, st.lists(names, min_size=1, max_size=3))
code = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=80).map(
    lambda text: f"{text.rstrip(chr(10))}\n"
)


@given(st.dictionaries(paths, code, min_size=1, max_size=4))
def test_what_was_fenced_comes_out_again(files: dict[str, str]) -> None:
    files = {path: body for path, body in files.items() if not any(parent in files for parent in parents(path))}
    marker = "`" * (max(len(body) for body in files.values()) + 3)
    text = "\n".join(f'{marker}x path="{path}"\n{body}{marker}' for path, body in files.items())
    assert files_of_answer(text, "python", PYTHON) == files


@given(
    st.lists(
        st.sampled_from(
            ["```", "~~~~", "python", " ", "\n", "path=", "../", "/", "a.py", "x", "\t", "\r", "`", "{", ":"]
        )
        | st.text(max_size=4),
        max_size=40,
    ).map("".join)
)
def test_whatever_the_text_all_paths_are_clean_and_nothing_else_is_raised(text: str) -> None:
    for language in ("python", None):
        try:
            files = files_of_answer(text, language, PYTHON)
        except AnswerRefused:
            continue
        assert all(check_path(path) is None and path.isprintable() and "\\" not in path for path in files)
        assert not any(parent in files for path in files for parent in parents(path))


@pytest.mark.parametrize(
    "piece",
    [
        *("```", "```python\n", "``` a/" + "/a" * 50 + "(\n", "`" * 50, "~\n", "path=", "  ```x\n", "/a"),
        *("- - - - - - a ", "> - " * 10, "- a\n", "> a\n"),
    ],
)
@pytest.mark.timeout(60)
def test_a_long_answer_takes_no_longer_than_its_length(piece: str) -> None:
    many = piece * (300_000 // len(piece))
    lines = (piece.rstrip("\n") + "\n") * MAX_LINES
    for text in (many, f"```python {piece.strip() * 30_000}(\n", f"{lines[:300_000]}```"):
        with suppress(AnswerRefused):
            list(fences(text))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_there_is_an_end_to_the_lines_of_markdown_and_none_to_those_of_code(end: str) -> None:
    code = "x\n" * (MAX_LINES + 1)
    assert files_of_answer(code, "python", PYTHON) == {PYTHON: code}
    assert len(list(fences(f"```{end}" + f"x{end}" * (MAX_LINES - 1)))) == 1
    lines = f"x{end}" * (MAX_LINES + 1)
    with pytest.raises(AnswerRefused, match="at most 20000 lines"):
        files_of_answer(f"```python\n{lines}```", "python", PYTHON)


def case(**changes: object) -> Case:
    place = Place(Path("/case/case.yaml"))
    return Case(**({"id": "case", "place": place, "directory": Path("/case"), "checks": ()} | changes))  # type: ignore[arg-type]


def test_a_submission_that_brings_only_an_answer_gets_its_code() -> None:
    answer = Submission("a", output="```python\n#!/usr/bin/python3\n```")
    found = extract_code(case(language="python"), answer)
    assert (found.form, found.output) == (Form.DIRECTORY, answer.output)
    assert {path: (content(entry), entry.executable) for path, entry in found.tree.entries.items()} == {
        PYTHON: (b"#!/usr/bin/python3\n", True)
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [("x = 1", b"x = 1\n"), ("```python\nx = 1\n```", b"x = 1\n"), ("Use ```x```.\n", b"Use ```x```.\n")],
)
def test_what_is_handed_in_as_an_answer_may_be_bare_code(text: str, code: bytes) -> None:
    found = extract_code(case(language="python", answer_file="src/a.py"), read_answer("a", text))
    assert (found.form, found.output) == (Form.DIRECTORY, text)
    assert {path: content(entry) for path, entry in found.tree.entries.items()} == {"src/a.py": code}
    assert extract_code(case(language="python"), found) is found


def test_an_answer_without_code_leaves_the_workspace_as_it_is() -> None:
    for text in ("", "```text\nx\n```"):
        found = extract_code(case(language="python"), read_answer("a", text))
        assert (found.form, found.output, found.tree) == (Form.NOTHING, text, Tree())
        assert extract_code(case(language="python"), found) == found


def test_a_case_that_reads_the_answer_itself_gets_it_whole() -> None:
    reading = case(language="julia", whole_answer=True)
    transcript = parse_transcript('[{"role": "assistant", "content": "f() = 1"}]')
    texts = ("So:\n```julia\nf() = 1\n```\n", "f() = 1", "```\nf() = 1\n```")
    told = Submission("a", output="f() = 1", transcript=transcript)
    for text, handed_in in (
        *((text, Submission("a", output=text)) for text in texts),
        *((text, read_answer("a", text)) for text in texts),
        ("f() = 1", told),
    ):
        found = extract_code(reading, handed_in)
        assert (found.form, found.output) == (Form.ANSWER, text)
        assert {path: content(entry) for path, entry in found.tree.entries.items()} == {"answer.md": text.encode()}


def test_the_last_words_of_a_transcript_are_an_answer_too() -> None:
    transcript = parse_transcript('[{"role": "assistant", "content": "```python\\nx = 1\\n```"}]')
    found = extract_code(case(language="python"), Submission("a", transcript=transcript))
    assert list(found.tree.entries) == [PYTHON]


def test_a_path_that_leads_out_is_the_candidates_failure() -> None:
    found = extract_code(case(language="python"), Submission("a", output="```python path=../x.py\nx\n```"))
    assert "'../x.py'" in found.problem
    assert found.form is Form.NOTHING


@pytest.mark.parametrize(
    "submission",
    [
        Submission("files", Form.DIRECTORY, output="```python\nx\n```"),
        Submission("nothing"),
        Submission("problem", problem="no", output="```python\nx\n```"),
        Submission("fault", fault="no", output="```python\nx\n```"),
        Submission("none of it", output="```text\nx\n```"),
        Submission("the last words of an agent", output="StepOutcome."),
    ],
)
def test_other_submissions_stay_as_they_are(submission: Submission) -> None:
    assert extract_code(case(language="python"), submission) == submission


def test_every_language_has_a_file() -> None:
    assert [default_file(name) for name in ("python", "julia", "bash", "javascript", "typescript", None, "cobol")] == [
        "solution.py",
        "solution.jl",
        "solution.sh",
        "solution.js",
        "solution.ts",
        None,
        None,
    ]

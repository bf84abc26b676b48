"""Prompts: text, messages, files, and what a program would make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import cases, loaded, said

CHAT = [{"role": "user", "content": "Say {{w}}."}]


@pytest.mark.parametrize(
    ("prompt", "contents"),
    [
        ("Say {{w}}.", ["Say x."]),
        (CHAT, ["Say x."]),
        ('[{"role": "user", "content": "Say {{w}}."}]', ["Say x."]),
        ({"raw": "Say {{w}}.", "label": "l", "prefix": "> ", "suffix": " <"}, ["> Say x. <"]),
        ({"prompt": CHAT}, ["Say x."]),
        ("file://one.txt", ["First x", "Second"]),
        ("one.txt", ["First x", "Second"]),
        ("file://*.md", ["Text\n---\nof x"]),
        ("chat.json", ["Say x."]),
        ({"label": "l", "file": "./chat.json"}, ["Say x."]),
        ({"id": "file://chat.yaml", "label": "l"}, ["Say x."]),
    ],
    ids=str,
)
def test_a_prompt_is_the_input_of_a_case(prompt: Any, contents: list[str], tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("First {{w}}\n---\nSecond\n")
    (tmp_path / "two.md").write_text("Text\n---\nof {{w}}")
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "Say {{ vars.w }}."}]')
    (tmp_path / "chat.yaml").write_text('- {role: user, content: "Say {{w}}."}\n')
    found = cases(tmp_path, {"prompts": [prompt], "tests": [{"vars": {"w": "x"}, "assert": ["w"]}]})
    assert [case.input[-1].content for case in found] == contents


@pytest.mark.parametrize(
    "prompt",
    [
        "file://make.py:prompt",
        "make.js",
        "exec:./make.sh",
        {"function_file": "make.ts"},
        {"label": "x", "function": "f"},
    ],
    ids=str,
)
def test_a_prompt_of_a_program_is_no_input_and_said(prompt: Any, tmp_path: Path) -> None:
    found = loaded(tmp_path, {"prompts": [prompt], "tests": [{"vars": {"w": "x"}, "assert": ["w"]}]})
    assert [case.input for case in found.cases] == [()]
    assert "this prompt is made by a program, which is not run" in said(found)


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("file://gone.txt", "the file `gone.txt` of a prompt does not exist"),
        ("gone.txt", "the file `gone.txt` of a prompt does not exist"),
        ({"raw": "x", "lable": "l"}, "unknown key `lable` of a prompt"),
        (5, "a prompt must be text, a list of messages or a mapping"),
    ],
    ids=str,
)
def test_a_mistake_is_reported(prompt: Any, message: str, tmp_path: Path) -> None:
    found = loaded(tmp_path, {"prompts": [prompt], "tests": [{"assert": ["w"]}]})
    assert message in said(found)
    assert found.errors

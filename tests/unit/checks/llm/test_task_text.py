"""What a target is told, and what it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradebox.graders.checks.llm.task_text import MAX_FILE_BYTES, task_text
from gradebox.graders.model.case import Case, Message, Place


def asked(*messages: Message) -> str:
    place = Place(Path("case.yaml"))
    return task_text(Case("case", place, Path(), (), input=messages, criteria="secret", expected_output="secret"))


def test_one_message_is_its_text() -> None:
    assert asked(Message("user", "Fix it.\n")) == "Fix it.\n"


def test_several_have_the_names_of_their_roles() -> None:
    assert asked(
        Message("system", "Be brief."),
        Message("user", "Fix it.", name="ann"),
        Message("assistant", "", tool_calls=({"tool": "read"},)),
    ) == ('[system]\n\nBe brief.\n\n[user ann]\n\nFix it.\n\n[assistant]\n\n{"tool": "read"}')


def test_blocks_are_said_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("line 1\n")
    blocks = (
        {"type": "text", "value": "See:"},
        {"type": "file", "value": "log.txt", "path": str(tmp_path / "log.txt")},
        {"type": "image", "value": "shot.png"},
        {"type": "json", "value": {"a": 1}},
    )
    assert asked(Message("user", blocks)) == ('See:\n\n[file log.txt]\nline 1\n\n\n[image shot.png]\n\n{\n  "a": 1\n}')


def test_nothing_is_asked_by_a_case_without_input() -> None:
    assert asked() == ""


def test_a_file_that_is_too_large_or_gone_is_no_prompt(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    for name in ("big", "none"):
        with pytest.raises(OSError, match=name):
            asked(Message("user", ({"type": "file", "value": name, "path": str(tmp_path / name)},)))

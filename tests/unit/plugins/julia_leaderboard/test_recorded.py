"""The recorded tree: names, and what is written is found again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradebox.graders.errors import SubmissionRefused
from gradebox.plugins.julia_leaderboard.recorded import (
    Conversation,
    Recording,
    find_recorded,
    is_conversation,
    read_conversation,
    read_evaluation,
    write,
)

ANSWER = Conversation(
    ({"content": "Do it.", "_type": "usermessage"}, {"content": "StepOutcome.", "_type": "aimessage"})
)
FILE = "conversation__InJulia__1SHOT__20240102_030405__678.json"

words = st.text("aZ09.:-", min_size=1, max_size=8).filter(lambda text: text not in (".", ".."))
recordings = st.builds(
    Recording,
    name=st.just("add_one"),
    model=st.lists(words.filter(lambda word: word != "add_one"), min_size=1, max_size=3).map("/".join),
    prompt=words,
    strategy=st.lists(words, min_size=1, max_size=3).map("__".join),
    timestamp=st.sampled_from(["20240102_030405", "20240102_030405__678"]),
)


@given(recordings)
def test_what_was_written_is_found_again(tmp_path_factory: pytest.TempPathFactory, recording: Recording) -> None:
    root = tmp_path_factory.mktemp("tree")
    file = write(root, recording, {"parsed": True}, ANSWER)
    (found,) = find_recorded(root, ["add_one"])
    assert found.recording == recording
    assert read_evaluation(found) == {"parsed": True}
    assert read_conversation(found.file.read_bytes()) == ANSWER
    assert file.parent == found.file.parent


def test_the_names_are_those_of_the_leaderboard() -> None:
    recording = Recording("add_one", "yi:34b-chat", "InJulia", "1CODEFIXER__Tiny", "20240102_030405__678")
    name = "evaluation__InJulia__1CODEFIXER__Tiny__20240102_030405__678.json"
    assert recording.path("evaluation") == Path("add_one", "yi:34b-chat", name)


@pytest.mark.parametrize(("root", "count"), [(".", 2), ("basics", 1), ("basics/add_one", 1), ("basics/add_two", 1)])
def test_a_tree_is_found_from_above_and_from_within(root: str, count: int, tmp_path: Path) -> None:
    for place in ("basics/add_one/org/model:7b", "add_two/model", "basics/add_three/model"):
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / FILE).write_text("[]")
    (tmp_path / "basics/add_two/model").mkdir(parents=True)
    (tmp_path / "basics/add_two/model" / FILE.replace("conversation", "evaluation")).write_text("{}")
    (tmp_path / "basics/add_two/model" / FILE).write_text("[]") if root == "basics/add_two" else None
    found = find_recorded(tmp_path / root, ["add_one", "add_two"])
    assert len(found) == count
    assert {one.recording.model for one in found} <= {"org/model:7b", "model"}
    assert [one.file for one in found] == sorted(one.file for one in found)


def test_a_second_directory_of_the_definitions_name_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "basics/add_one/add_one/org/model:7b").mkdir(parents=True)
    (tmp_path / "basics/add_one/add_one/org/model:7b" / FILE).write_text("[]")
    (found,) = find_recorded(tmp_path, ["add_one"])
    assert found.recording.model == "org/model:7b"


@pytest.mark.parametrize("model", ["..", "a/../b", "", "a//b", "x\0y", "a" * 300, "/etc"])
def test_a_model_that_is_no_place_is_refused(model: str, tmp_path: Path) -> None:
    with pytest.raises(SubmissionRefused):
        write(tmp_path, Recording("add_one", model, "P", "S", "20240102_030405"), {}, ANSWER)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\xff", b"[" * 100_000, b"[" * 500 + b"]" * 500])
def test_what_is_no_conversation_is_refused(data: bytes) -> None:
    with pytest.raises(SubmissionRefused):
        read_conversation(data)


@pytest.mark.parametrize("content", [None, 5, ["x"]])
def test_a_last_message_without_text_is_an_empty_answer(content: object) -> None:
    assert read_conversation(json.dumps([{"content": "x"}, {"content": content}]).encode()).answer == ""


def test_no_message_is_an_empty_answer() -> None:
    assert read_conversation(b"[]").answer == ""


def test_what_is_a_conversation_is_told_by_its_whole_name() -> None:
    assert is_conversation(FILE)
    assert not is_conversation(FILE.replace("conversation", "evaluation"))
    assert not is_conversation("conversation.json")
    assert not is_conversation(f"my-{FILE}")


def test_half_a_surrogate_pair_is_written_nevertheless(tmp_path: Path) -> None:
    write(tmp_path, Recording("f", "m", "P", "S", "20240102_030405"), {}, Conversation(({"content": "\ud800"},)))
    (found,) = find_recorded(tmp_path, ["f"])
    assert "d800" in found.file.read_text("utf-8")


def test_a_tree_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SubmissionRefused):
        find_recorded(tmp_path / "none", ["f"])


def test_a_link_to_a_conversation_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "tree/f/model").mkdir(parents=True)
    (tmp_path / "secret.json").write_text('[{"content": "secret"}]')
    (tmp_path / "tree/f/model" / FILE).symlink_to(tmp_path / "secret.json")
    assert find_recorded(tmp_path / "tree", ["f"]) == ()

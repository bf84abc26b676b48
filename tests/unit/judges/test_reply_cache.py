"""Replies that are kept, in memory and on disk."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gradebox.graders.judges import reply_cache
from gradebox.graders.judges.reply_cache import ReplyCache
from gradebox.graders.model.judgment import Reply

REPLY = Reply("a", '{"score": 1}', model="m", requests=2, input_tokens=5, cost_usd=0.5)


def test_a_reply_survives_the_process_in_a_directory_and_only_there(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies")
    assert cache.get("k") is None
    cache.put("k", REPLY)
    assert ReplyCache(tmp_path / "replies").get("k") == REPLY
    assert [path.name for path in (tmp_path / "replies").iterdir()] == ["k.json"]
    memory = ReplyCache()
    memory.put("k", REPLY)
    assert memory.get("k") == REPLY
    assert ReplyCache().get("k") is None


def test_a_file_that_is_no_reply_is_none(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"judge": "a", "unknown": 1}', "{}"):
        (tmp_path / "k.json").write_text(text)
        assert ReplyCache(tmp_path).get("k") is None


def test_a_directory_that_cannot_be_written_costs_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = ReplyCache(tmp_path / "file")
    cache.put("k", REPLY)
    assert cache.get("k") == REPLY


def test_memory_holds_the_last_replies_and_none_that_a_directory_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reply_cache, "_MOST_REPLIES", 2)
    cache, kept = ReplyCache(), ReplyCache(tmp_path)
    for key in ("a", "b", "c"):
        for one in (cache, kept):
            with one.asking(key):
                one.put(key, REPLY)
    assert [cache.get(key) for key in ("a", "b", "c")] == [None, REPLY, REPLY]
    assert [kept.get(key) for key in ("a", "b", "c")] == [REPLY] * 3
    assert kept._known == cache._asking == {}


def test_of_two_who_ask_the_same_one_waits() -> None:
    cache, asked = ReplyCache(), []

    def ask() -> None:
        with cache.asking("k"):
            if cache.get("k") is None:
                asked.append(1)
                cache.put("k", REPLY)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1

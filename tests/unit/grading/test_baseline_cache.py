"""Baselines are found once, survive the process, and what cannot be read is found again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gradebox.graders.grading.baseline_cache import Baseline, BaselineCache
from gradebox.graders.languages.complaints import Complaint

FOUND = Baseline("the reference", frozenset({"", "a"}), lasting=True)
BROKEN = Baseline("the reference", frozenset({""}), broken={("b", "step", Complaint("module", "x", "y.py")): "why"})


def test_a_baseline_survives_the_process(tmp_path: Path) -> None:
    BaselineCache(tmp_path / "new").get("key", lambda: FOUND)
    assert BaselineCache(tmp_path / "new").get("key", lambda: None) == FOUND
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["key.json"]


def test_an_error_of_the_case_is_looked_for_again_by_the_next_process(tmp_path: Path) -> None:
    cache = BaselineCache(tmp_path)
    assert [cache.get("key", lambda: BROKEN), cache.get("key", lambda: FOUND)] == [BROKEN, BROKEN]
    assert BaselineCache(tmp_path).get("key", lambda: FOUND) == FOUND


def test_who_asks_for_what_is_being_found_waits() -> None:
    cache, asked = BaselineCache(), []

    def find() -> Baseline:
        asked.append(1)
        return FOUND

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: id(cache.get("key", find)), range(50))) == {id(FOUND)}
    assert len(asked) == 1


def test_what_could_not_be_found_out_is_not_kept(tmp_path: Path) -> None:
    cache = BaselineCache(tmp_path)
    assert cache.get("key", lambda: None) is None
    assert cache.get("key", lambda: FOUND) is FOUND


@pytest.mark.parametrize("text", ["", "{}", "[1, 2, 3]", '["the reference", null]', "\0", "[[" * 9999])
def test_a_file_that_cannot_be_read_costs_a_run_and_nothing_else(tmp_path: Path, text: str) -> None:
    (tmp_path / "key.json").write_text(text)
    assert BaselineCache(tmp_path).get("key", lambda: FOUND) is FOUND


def test_a_directory_that_cannot_be_written_costs_a_run_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert BaselineCache(tmp_path / "file").get("key", lambda: FOUND) is FOUND

"""What was read once is not read again; what was changed, cut off, removed or rewritten is noticed."""

from __future__ import annotations

import os
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fabricated import check, graded, hostile, many
from index_bench import append, listed, named_run, names, updated

from gradebox.graders.model.verdict_document import as_json
from gradebox.graders.runs.index import index_update
from gradebox.graders.runs.index.index_queries import find_row
from gradebox.graders.runs.index.index_update import NAME_MAX, key_digest
from gradebox.graders.runs.index.run_index import RunIndex


def results(directory: Path) -> Path:
    return directory / "results.jsonl"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the lines that were parsed."""
    lines: list[bytes] = []
    parse = index_update._Line.model_validate_json

    def noted(data: bytes, **options: Any) -> Any:
        lines.append(data)
        return parse(data, **options)

    monkeypatch.setattr(index_update._Line, "model_validate_json", noted)
    return lines


def test_only_what_was_added_is_read(tmp_path: Path, parsed: list[bytes]) -> None:
    run = named_run(tmp_path, "one", many(5))
    index = updated(tmp_path)
    assert len(parsed) == 5
    index.update()
    assert len(parsed) == 5
    append(run, graded("later", check("a", 1.0), number=6))
    index.update()
    assert len(parsed) == 6
    assert names(index, "one")[-1] == "later"
    index.close()
    again = updated(tmp_path)
    assert len(parsed) == 6
    assert len(listed(again)) == 6
    again.close()


def test_half_a_line_is_no_verdict_until_it_ends(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(2))
    line = as_json(graded("torn", check("a", 1.0), number=3)).encode()
    append(run, torn=line[:100])
    index = updated(tmp_path)
    assert len(listed(index)) == 2
    append(run, torn=line[100:] + b"\n")
    index.update()
    assert names(index, "one")[-1] == "torn"
    # A continued run cuts it off and writes another.
    append(run, torn=line[:50])
    index.update()
    os.truncate(results(run), results(run).stat().st_size - 50)
    append(run, graded("other", check("a", 1.0), number=4))
    index.update()
    assert names(index, "one")[-2:] == ["torn", "other"]
    index.close()


def test_of_several_lines_about_the_same_the_last_one_counts(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", [graded("a", check("x", 0.0, "no"))])
    index = updated(tmp_path)
    assert [row.verdict for row in listed(index)] == ["failed"]
    append(run, graded("a", check("x", 1.0)))
    index.update()
    assert [(row.verdict, row.score) for row in listed(index)] == [("passed", 1.0)]
    index.close()


@pytest.mark.parametrize("how", ["shorter", "same size", "longer", "another file"])
def test_a_rewritten_run_is_read_from_its_begin(tmp_path: Path, how: str) -> None:
    run = named_run(tmp_path, "one", [graded("aaa", check("x", 1.0)), graded("bbb", check("x", 1.0))])
    index = updated(tmp_path)
    old = results(run).read_bytes()
    new = old.replace(b"aaa", b"ccc")
    if how == "shorter":
        new = new[: new.index(b"\n") + 1]
    elif how == "longer":
        new += as_json(graded("ddd", check("x", 1.0), number=3)).encode() + b"\n"
    if how == "another file":
        results(run).unlink()
    results(run).write_bytes(new)
    os.utime(results(run), ns=(1, 1))
    index.update()
    wanted = {"shorter": ["ccc"], "longer": ["ccc", "bbb", "ddd"]}.get(how, ["ccc", "bbb"])
    assert names(index, "one") == wanted
    index.close()


def test_a_run_that_is_gone_or_empty_leaves_nothing(tmp_path: Path) -> None:
    one, two = named_run(tmp_path, "one", many(2)), named_run(tmp_path, "two", many(2))
    index = updated(tmp_path)
    shutil.rmtree(one)
    results(two).unlink()
    index.update()
    assert listed(index) == []
    assert [row[0] for row in index.rows("SELECT name FROM runs")] == ["two"]
    for table in ("verdicts", "pieces", "choices"):
        assert index.rows(f"SELECT count(*) FROM {table} WHERE run NOT IN (SELECT id FROM runs)") == [(0,)]
    index.close()


def test_a_run_of_the_same_name_is_another(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", [graded("a", check("x", 1.0))])
    index = updated(tmp_path)
    shutil.rmtree(run)
    named_run(tmp_path, "one", [graded("b", check("x", 1.0))], submissions=["/elsewhere/x"])
    index.update()
    assert names(index) == ["b"]
    found = find_row(index, "one")
    assert found is not None
    assert found.what.endswith("x")
    index.close()


def test_what_is_no_verdict_is_said_and_what_was_before_stays(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(2))
    append(run, torn=b'{"no": "verdict"}\n')
    append(run, graded("behind", check("x", 1.0)))
    index = updated(tmp_path)
    found = find_row(index, "one")
    assert found is not None
    assert found.problem.startswith("results.jsonl:3 is not a verdict")
    assert len(listed(index)) == 2
    index.close()


def test_a_record_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    run = named_run(tmp_path, "one", many(1))
    (run / "run.json").write_text("{")
    index = updated(tmp_path)
    found = find_row(index, "one")
    assert found is not None
    assert found.problem.startswith("run.json cannot be read")
    assert found.total == 1
    index.close()


def test_several_at_once_read_each_line_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_update, "_LINES", 7)
    monkeypatch.setattr(index_update, "_PIECES", 7)
    run = named_run(tmp_path, "one", many(60))
    indexes = [RunIndex(tmp_path) for _ in range(4)]
    threads = [threading.Thread(target=index.update) for index in indexes]
    for thread in threads:
        thread.start()
    append(run, *(graded(f"later-{number}", check("x", 1.0), number=61 + number) for number in range(20)))
    for thread in threads:
        thread.join(60)
    for index in indexes:
        index.update()
        assert len(listed(index)) == 80
        assert index.rows("SELECT count(*) FROM verdicts") == [(80,)]
        assert index.rows("SELECT count(*) FROM pieces WHERE run = 1")[0][0] >= 60
        index.close()


def test_hostile_words_are_limited_and_kept_as_text(tmp_path: Path) -> None:
    long = "x" * 10_000_000
    flood = graded(
        long, check("x", 0.0, long), faults=(long,), tags=(long,), category=long, submission=long, target=long
    )
    named_run(tmp_path, "one", [hostile(), replace(flood, number=2)])
    index = updated(tmp_path)
    first, second = listed(index, "one")
    assert first.case == 'case"><script>document.title="owned"</script>\u202e'
    assert {len(text) for text in (second.case, second.submission, second.target, second.category)} == {NAME_MAX}
    assert len(second.tags[0]) == NAME_MAX
    (place,) = (index.database.place,)
    assert place is not None
    assert place.stat().st_size < 1_000_000
    index.close()


def test_a_key_has_a_name_that_differs_from_that_of_any_other() -> None:
    keys = [("a", None, "b", 1), ("a", "", "b", 1), ("a", "b", "", 1), ("a", None, "b", 2), ("ab", None, "", 1)]
    assert len({key_digest(*key) for key in keys}) == len(keys)

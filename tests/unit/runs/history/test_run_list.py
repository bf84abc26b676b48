"""What a list says of each run, broken ones included."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from world import World, the_run

from gradebox.graders.cli.main import run
from gradebox.graders.runs.history.run_list import ListedRun, listed_run
from gradebox.graders.runs.history.run_names import runs_below
from gradebox.graders.runs.store import Store


def the_listed() -> ListedRun:
    (found,) = runs_below(Path("runs"))
    return listed_run(found)


def test_a_run_is_listed_with_its_verdicts_and_what_is_missing(world: World) -> None:
    run([*world.arguments, "--fail-fast", "--jobs", "1", "-q"])
    found = the_listed()
    assert found.what == "a, b and 1 more; 4 submissions"
    assert found.gradings == 12
    assert 2 <= sum(found.verdicts.values()) < 12
    assert not found.running
    assert found.size_bytes == sum(file.stat().st_size for file in the_run().iterdir())
    described = json.loads(json.dumps(found.described()))
    assert described["run"] == the_run().name
    assert described["verdicts"] == found.verdicts


def test_of_several_verdicts_of_one_grading_the_last_counts(world: World) -> None:
    run(["-c", "a", "-s", "work/two", "-q"])
    world.write("work/two/answer", "right")
    run(["--resume", "latest", "-q"])
    assert the_listed().verdicts == {"passed": 1}
    with (the_run() / "results.jsonl").open("a") as stream:
        stream.write('{"case": "half a li')
    assert the_listed().verdicts == {"passed": 1}


def test_a_run_that_is_being_written_says_so(world: World) -> None:
    store = Store.create(Path("runs"), {"cases": ["/x/add/case.yaml"], "reference": True, "shard": "2/8"})
    assert the_listed().running
    assert the_listed().what == "add; reference; shard 2/8"
    store.close()
    assert not the_listed().running
    assert the_listed().gradings is None


def test_a_broken_run_is_listed_with_the_reason(world: World) -> None:
    run(["-c", "a", "-q"])
    results, record = the_run() / "results.jsonl", the_run() / "run.json"
    results.write_text("{}\n")
    assert the_listed().problem == "results.jsonl holds what is not a verdict"
    for broken in ("{", "[]", '{"asked": 7}', '{"asked": {"cases": 7}}', '{"asked": {"cases": [7]}}'):
        record.write_text(broken)
        assert the_listed().problem
    assert the_listed().started - runs_below(Path("runs"))[0].started == timedelta()

"""The page about a million gradings has the table that benchmarks/scale_simulation.py prints."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
from scale_simulation import FAILURES, ROWS, Node, Shard, cut, simulate, table

PAGE = (Path(__file__).parents[3] / "docs" / "explanation" / "scale.md").read_text("utf-8").splitlines()


def test_the_page_has_a_line_for_each_run_that_is_simulated() -> None:
    labels = [f"| {nodes} | {nodes * each:,} | {lost} | " for nodes, each in ROWS for lost in FAILURES]
    lines = PAGE[PAGE.index(table([], number=0)[0]) + 2 :]
    assert [line[: len(label)] for label, line in zip(labels, lines, strict=False)] == labels
    assert not lines[len(labels)]


def test_the_page_has_the_figures_that_the_program_prints() -> None:
    # Some lines of the table: all of them take seconds.
    assert set(table(ROWS[1:2])) <= set(PAGE)


def test_nothing_that_a_lost_node_wrote_is_graded_again() -> None:
    rest, cut_off, worked = cut(0.0, Shard.of([1.0] * 24), Node(lost_at=1.5, slowness=1.0))
    assert (len(rest.left), rest.written, cut_off, worked) == (16, 8, 8, 12.0)


def test_without_failures_a_run_takes_what_its_shards_take() -> None:
    shards = [Shard.of([1.0] * 16)] * 4
    found = simulate(2, shards, losing=False, disks=False, random=Random("any"))
    # A node starts in 30 s, grade in 2 s, and each node takes two shards.
    assert (found.seconds, found.twice, found.losses) == (30 + 2 * (2 + 2), 0, 0)

"""How long a million gradings take on 1, 10 and 100 nodes, if nodes are lost, start late or are slow.

    .venv/bin/python benchmarks/scale_simulation.py

Prints the table of docs/explanation/scale.md. Nothing is graded: events are simulated, with a fixed seed, so that the
table is always the same. A node has slots, and grades one shard at a time. A slot takes the next grading of the
shard as soon as it is free. A free node takes the next shard. If a node is lost, another node continues the shard as
`--resume` does: what was written is kept. If the disk is lost too, all of the shard is graded again.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator, Sequence
from hashlib import sha256
from heapq import heapify, heappop, heappush, heapreplace
from itertools import count
from math import inf
from random import Random
from struct import unpack
from typing import NamedTuple, Self

GRADINGS = 1_000_000
CASES = 1000
SLOTS = 8
# Of each part of the table: nodes, and shards for each of them.
ROWS = [(1, 4), (10, 4), (100, 4), (100, 1), (100, 16)]
# Seconds that a grading adds to its case's commands: processor time of a trivial one, docs/explanation/performance.md.
SANDBOX = 0.15
# Seconds that commands take: medians of cases and the spread around them are log-normal, and a few reach the limit.
MEDIAN, SIGMA_OF_CASES, SIGMA_IN_CASE = 0.5, 1.0, 0.6
LIMIT, HANGING = 60.0, 0.005
# Seconds to start a node with its images, to start `grade` and to read one written verdict when a shard is continued.
NODE_START, GRADE_START, RESUME_EACH = 30.0, 2.0, 0.001
# What fails: seconds between two losses of a node, and until the scheduler notices one.
BETWEEN_LOSSES, NOTICE = 24 * 3600.0, 60.0
LATE, LATE_START = 0.05, 600.0
SLOW, SLOWNESS = 0.05, 2.0

# Words of the table, and whether nodes fail, and whether their disks do.
FAILURES = {"nothing": (False, False), "nodes": (True, False), "nodes and their disks": (True, True)}


class Shard(NamedTuple):
    """What is left of a shard."""

    left: Sequence[float]  # The seconds of each grading.
    span: float  # Seconds that all of them take on a node.
    work: float  # Their sum.
    written: int = 0

    @classmethod
    def of(cls, left: Sequence[float], written: int = 0) -> Self:
        """Return a shard of these gradings: a slot takes the next one as soon as it is free."""
        free = [0.0] * SLOTS
        for seconds in left:
            heapreplace(free, free[0] + seconds)
        return cls(left, max(free), sum(left), written)


class Node(NamedTuple):
    """A machine: when it is lost, and how many times longer everything takes on it."""

    lost_at: float
    slowness: float


class Outcome(NamedTuple):
    """What came of a run."""

    seconds: float
    twice: int
    idle: float  # The share of the slots' time in which they wait.
    losses: int


def gradings(number: int, random: Random) -> Iterator[tuple[int, float]]:
    """Yield of each grading the number that its hash is, and its seconds.

    graders/runs/shards.py takes one hash for each grading. Here eight share one, which spreads them as evenly.
    """
    noise = [random.lognormvariate(0, SIGMA_IN_CASE) for _ in range(997)]
    medians = [MEDIAN * random.lognormvariate(0, SIGMA_OF_CASES) for _ in range(CASES)]
    hangs = int(1 / HANGING)
    for eight in range(number // 8):
        for place, hashed in enumerate(unpack(">8I", sha256(b"%d" % eight).digest())):
            index = 8 * eight + place
            seconds = LIMIT if hashed % hangs == 0 else medians[index % CASES] * noise[hashed % 997]
            # The quotient, since the rest says whether a grading hangs.
            yield hashed // hangs, SANDBOX + min(LIMIT, seconds)


def sharded(all_gradings: Sequence[tuple[int, float]], of_all: int) -> list[Shard]:
    """Return the shards of a run."""
    found: list[list[float]] = [[] for _ in range(of_all)]
    for hashed, seconds in all_gradings:
        found[hashed % of_all].append(seconds)
    return [Shard.of(one) for one in found]


def cut(begin: float, shard: Shard, node: Node) -> tuple[Shard, int, float]:
    """Return what a lost node leaves of its shard, how many gradings were cut off, and how long its slots worked."""
    free = [begin] * SLOTS
    left, cut_off, worked = [], 0, 0.0
    for seconds in shard.left:
        started, ended = free[0], free[0] + seconds * node.slowness
        heapreplace(free, ended)
        if ended > node.lost_at:
            left.append(seconds)
            cut_off += started < node.lost_at
        worked += max(0.0, min(ended, node.lost_at) - started)
    return Shard.of(left, shard.written + len(shard.left) - len(left)), cut_off, worked


def simulate(nodes: int, shards: Sequence[Shard], *, losing: bool, disks: bool, random: Random) -> Outcome:
    """Let so many nodes grade these shards."""

    def started(now: float) -> tuple[float, int, Node]:
        late, slow = (losing and random.random() < share for share in (LATE, SLOW))
        ready = now + (LATE_START if late else NODE_START)
        lost_at = ready + random.expovariate(1 / BETWEEN_LOSSES) if losing else inf
        return ready, next(order), Node(lost_at, SLOWNESS if slow else 1.0)

    order = count()
    # What happens when: a node is free, or a shard waits again.
    events: list[tuple[float, int, Node | tuple[Shard, Shard]]] = [started(0) for _ in range(nodes)]
    heapify(events)
    waiting = deque((shard, shard) for shard in shards)
    idle: list[Node] = []
    last = worked = 0.0
    twice = losses = ended = 0
    while ended < len(shards):
        now, _, what = heappop(events)
        if isinstance(what, Node):
            idle.append(what)
        else:
            waiting.append(what)
        while idle and waiting:
            node = idle.pop()
            if node.lost_at <= now:
                # It was lost while it had nothing to do.
                heappush(events, started(now))
                continue
            shard, whole = waiting.popleft()
            begin = now + GRADE_START + shard.written * RESUME_EACH
            end = begin + shard.span * node.slowness
            if end <= node.lost_at:
                worked += shard.work * node.slowness
                heappush(events, (end, next(order), node))
                last, ended = max(last, end), ended + 1
                continue
            rest, cut_off, used = cut(begin, shard, node)
            losses, worked, twice = losses + 1, worked + used, twice + cut_off + (rest.written if disks else 0)
            heappush(events, (node.lost_at + NOTICE, next(order), (whole if disks else rest, whole)))
            heappush(events, started(node.lost_at + NOTICE))
    return Outcome(last, twice, 1 - worked / (last * SLOTS * nodes), losses)


def table(rows: Sequence[tuple[int, int]], number: int = GRADINGS) -> list[str]:
    """Return the lines of a table: for each of these numbers of nodes, and of shards for each node, what is lost."""
    run = list(gradings(number, Random("gradings")))
    lines = [
        "| nodes | shards | lost | losses | hours | done twice | idle slots |",
        "|---:|---:|---|---:|---:|---:|---:|",
    ]
    for nodes, each in rows:
        shards = sharded(run, nodes * each)
        for lost, (losing, disks) in FAILURES.items():
            found = simulate(nodes, shards, losing=losing, disks=disks, random=Random(f"{nodes} nodes"))
            lines.append(
                f"| {nodes} | {len(shards):,} | {lost} | {found.losses} | {found.seconds / 3600:.2f} "
                f"| {found.twice:,} | {100 * found.idle:.0f} % |"
            )
    return lines


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--gradings", type=int, default=GRADINGS)
    print(*table(ROWS, parser.parse_args().gradings), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

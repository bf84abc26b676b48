"""What `grade view` takes for a run of any size, in processor time, as a multiple of reading its results once.

    .venv/bin/python benchmarks/view_runs.py --verdicts 100000 --json view_runs.json

`read` reads the run as every other command does, verdict by verdict: what a viewer without an index would do for each
page. `index` is the first indexing; `open` is the list of runs, with an index that is up to date, opened anew; `run` is
the page of the run with its plots, opened anew; the others are pages after that. Each of these is the median of
several.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests" / "support")]

from fabricated import many, write  # noqa: E402 - where it lies is known from here on

from gradebox.graders.reports.viewer.pages import Viewer  # noqa: E402 - the same
from gradebox.graders.runs.index.run_index import RunIndex  # noqa: E402 - the same
from gradebox.graders.runs.saved_run import read_run  # noqa: E402 - the same


def timed(work: Callable[[], Any], count: int = 1) -> float:
    """Return how many seconds of processor time something takes, in all threads."""
    times = []
    for _ in range(count):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return median(times)


def measured(root: Path, directory: Path, count: int) -> dict[str, float]:
    """Return what took how many seconds."""
    found = {"read": timed(lambda: read_run(directory, light=True))}
    index = RunIndex(root)
    found["index"] = timed(index.update)
    (run,) = index.rows("SELECT name FROM runs")[0]
    rows = index.rows("SELECT id, lower(hex(key)) FROM verdicts ORDER BY number")
    index.close()

    def opened(path: str) -> Callable[[], Any]:
        def work() -> None:
            fresh = RunIndex(root)
            Viewer(fresh).answer(path, {}, "")
            fresh.close()

        return work

    found["open"] = timed(opened("/"), count)
    found["run"] = timed(opened(f"/run/{run}"), count)
    index = RunIndex(root)
    viewer = Viewer(index)
    viewer.answer(f"/run/{run}", {}, "")
    middle, last = rows[len(rows) // 2], rows[-len(rows) // 100 - 1]
    for name, path, query in (
        ("first page", f"/run/{run}", {}),
        ("last page", f"/run/{run}", {"after": str(last[0])}),
        ("search", f"/run/{run}", {"q": "parser exit", "sort": "score"}),
        ("all runs", "/verdicts", {}),
        ("verdict", f"/run/{run}/{middle[1]}", {}),
    ):
        found[name] = timed(lambda path=path, query=query: viewer.answer(path, query, ""), count)  # type: ignore[misc]
    index.close()
    return found


def main() -> int:
    """Run the benchmark and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--verdicts", type=int, default=20_000)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--runs", type=Path, help="a directory with one run, instead of a new one")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    with TemporaryDirectory() as scratch:
        root = options.runs or Path(scratch)
        if not options.runs:
            # That it survives a crash is not worth waiting for.
            with patch("os.fsync"):
                write(root, many(options.verdicts))
        (results,) = root.glob("*/results.jsonl")
        seconds = measured(root, results.parent, options.count)
    read = seconds["read"]
    for name, value in seconds.items():
        print(f"{name:12} {value:8.3f} s {value / read:8.3f} times reading the run once")
    if options.json:
        figures = {
            "verdicts": options.verdicts,
            "seconds": seconds,
            "ratios": {k: v / read for k, v in seconds.items()},
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

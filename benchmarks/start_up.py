"""CPU of ``grade`` until its first request to the engine, compared with importing pydantic, docker and typer.

An engine that only accepts connections stands in for a real one: when the first request arrives, the CPU time of
``grade`` is read and the process is killed. Both programs take turns, so that a slow machine slows both. The first
round writes byte code and is not counted.

    .venv/bin/python benchmarks/start_up.py --count 15
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
CASE = ROOT / "cases" / "add-auth"
BASELINE = ("-c", "import pydantic, docker, typer")
GRADE = ("-c", "import sys; sys.argv[0] = 'grade'; from gradebox.graders.cli.main import main; main()")
TIMEOUT_SECONDS = 60


def environment(**more: str) -> dict[str, str]:
    """Return this environment with byte code switched on, and with the tree of this file first."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT / ".ci" / "package"), **more}


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of all threads of a process, in seconds (proc(5), schedstat in nanoseconds)."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


def baseline_seconds() -> float:
    """Return the CPU time of importing the libraries that every call needs."""
    process = subprocess.Popen([sys.executable, *BASELINE], env=environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("The libraries cannot be imported.")
    return usage.ru_utime + usage.ru_stime


def grade_seconds(directory: str) -> float:
    """Return the CPU time of ``grade`` until its first request."""
    place = os.path.join(directory, "engine.sock")  # noqa: PTH118 - for the socket
    arguments = ["--case", str(CASE), "--submission", str(CASE / "reference"), "--runs", directory]
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(place)
        server.listen()
        server.settimeout(TIMEOUT_SECONDS)
        process = subprocess.Popen(
            [sys.executable, *GRADE, *arguments],
            env=environment(DOCKER_HOST=f"unix://{place}"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(TIMEOUT_SECONDS)
                connection.recv(1)
                return cpu_seconds(process.pid)
        except TimeoutError:
            process.kill()
            said = process.communicate()[1].decode(errors="replace")
            raise SystemExit(f"grade sent no request: {said}") from None
        finally:
            process.kill()
            process.wait()
            os.unlink(place)  # noqa: PTH108 - for the socket


def main() -> None:
    """Measure, and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=15, help="how many rounds")
    count = parser.parse_args().count
    rounds: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as directory:
        for number in range(count + 1):
            measured = grade_seconds(directory), baseline_seconds()
            if number:
                rounds.append(measured)
    grade, baseline = zip(*rounds, strict=True)
    found = {
        "rounds": count,
        "grade_cpu_seconds": {"median": round(median(grade), 3), "least": round(min(grade), 3)},
        "baseline_cpu_seconds": {"median": round(median(baseline), 3), "least": round(min(baseline), 3)},
        "ratio": round(median(one / other for one, other in rounds), 2),
    }
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()

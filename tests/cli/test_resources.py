"""Submissions that use up everything: the right ending, the next check unaffected, our own memory small."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from running import GRADE

PEAK_BYTES = 150 * 1024 * 1024

# Starts a process and writes down its peak. A process begins with the peak of the one that starts it, which for this
# small one is less than any that counts, and for the tests is not.
LAUNCHER = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[2:])
_, _, usage = os.wait4(child.pid, 0)
with open(sys.argv[1], "w") as stream:
    stream.write(str(usage.ru_maxrss * 1024))
"""

CASE = """
language: python
limits: {memory: 256m, pids: 64, disk: 64m, command_timeout_seconds: TIMEOUT}
execution: {timeout_seconds: 120, threshold: 0.5}
assertions:
  - name: attack
    type: code-grader
    command: ["python3", "attack.py"]
  - name: after
    type: code-grader
    command: ["python3", "-c", "import os; assert os.listdir() == ['attack.py'], os.listdir(); print('unaffected')"]
"""

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True:
            open("/workspace/late", "w")
    os._exit(0)
time.sleep(0.5)
"""

ATTACKS = {
    "flood": (30, "output_limit", "import os\nb = b'x' * (1 << 20)\nfor _ in range(2048): os.write(1, b)"),
    "flood-stderr": (30, "output_limit", "import os\nb = b'x' * (1 << 20)\nfor _ in range(2048): os.write(2, b)"),
    "files": (60, "exited", "for i in range(200_000): open(f'{i}', 'w').close()"),
    "fork-bomb": (3, "timed_out", "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"),
    "memory": (30, "out_of_memory", "x = []\nwhile True: x.append(bytearray(1 << 20))"),
    "shared-memory": (
        30,
        "out_of_memory",
        "import mmap\nx = []\nwhile True:\n  m = mmap.mmap(-1, 1 << 24)\n  m.write(b'x' * (1 << 24))\n  x.append(m)",
    ),
    "daemon": (30, "exited", DAEMON),
    "deaf": (
        2,
        "timed_out",
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)",
    ),
    "sleeper": (2, "timed_out", "import time\ntime.sleep(3600)"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(make_case: Callable[..., Path], tmp_path: Path, name: str) -> None:
    seconds, ending, code = ATTACKS[name]
    case = make_case(CASE.replace("TIMEOUT", str(seconds)))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "attack.py").write_text(code)
    measured = tmp_path / "peak"
    output = subprocess.run(
        [sys.executable, "-c", LAUNCHER, measured, GRADE, "--case", case, "--submission", tmp_path / "work", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    ).stdout
    found = json.loads(output)
    attack, after = found["checks"]
    assert attack["steps"][0]["ending"] == ending
    assert (after["score"], after["steps"][0]["ending"]) == (1.0, "exited")
    assert int(measured.read_text()) < PEAK_BYTES

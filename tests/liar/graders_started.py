"""How the grader's process of each language is started for real tests, as the host does it in a sandbox.

Its program is bundled as the host bundles it, the oracle's source comes before it, and a player takes the candidate's
place. Python and Node.js run here; Julia runs in a container of its image, which shares the directory.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copy, which

import oracle
from apart_bench import RUNNERS
from lying_bench import BESIDE, Player, beside, supervisor

from gradebox.graders.languages.bundle import bundle, compiled_elsewhere
from gradebox.graders.languages.item_protocol import encode
from gradebox.graders.languages.javascript import LANGUAGE as JAVASCRIPT
from gradebox.graders.languages.julia import LANGUAGE as JULIA
from gradebox.graders.languages.language import inside
from gradebox.graders.runners import node_test
from gradebox.graders.runners.runner import File

_ROOM = Path(__file__).parent
_PYTHON_OPTIONS = {"pytest": ("-q", "-rA", "-p", "no:cacheprovider", "--tb=short"), "unittest": ("-v",)}
_SECONDS = 600
JULIA_IMAGE = "gradebox/julia"
CONTAINER = ("docker", "run", "--rm", "-i", "-u", "0", "--network", "none", "--memory", "3g")


def has_image() -> bool:
    """Return whether Julia can run here."""
    words = ["docker", "image", "inspect", JULIA_IMAGE]
    return bool(which("docker")) and not subprocess.run(words, capture_output=True, check=False).returncode


@dataclass(frozen=True, slots=True)
class Starting:
    """What is to be started.

    Attributes:
        runner: What runs the tests.
        files: The test files, from the workspace.
        directory: The workspace.
        told: What the host delivers.
        player: Who plays the candidate.
        program: Changes the text of the grader's program.
        is_contained: Whether it runs in a container.
    """

    runner: str
    files: Sequence[str]
    directory: Path
    told: Path
    player: Player
    program: Callable[[str], str]
    is_contained: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """What a grader's process reported, printed and did."""

    token: str
    status: int
    report: str
    printed: str
    notes: frozenset[str]


def _ran(command: Sequence[str], starting: Starting, token: str, stdin: bytes, env: Mapping[str, str]) -> Started:
    """Run a grader's process; its report is on descriptor 3."""
    place = starting.directory.parent
    noted, report = (place / f"{name}-{secrets.token_hex(4)}" for name in ("notes", "report"))
    for file in (noted, report):
        file.touch()
        file.chmod(0o666)
    told = {"LIAR_ORACLE": str(noted), "GRADEBOX_APART": str(starting.told), **env}
    shell = ["sh", "-c", f'exec 3>{report}; exec "$@"', "sh", *command]
    if starting.is_contained:
        options = [word for pair in told.items() for word in ("-e", "=".join(pair))]
        shell = [*CONTAINER, "-v", f"{place}:{place}", "-w", str(starting.directory), *options, JULIA_IMAGE, *shell]
    try:
        done = subprocess.run(
            shell,
            cwd=starting.directory,
            input=stdin,
            capture_output=True,
            check=False,
            # The image has no plugins, which would look into what the liar sends.
            env={**os.environ, **told, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            timeout=_SECONDS,
        )
        status, printed = done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")
    except subprocess.TimeoutExpired as late:
        status, printed = 124, f"{(late.stdout or b'')[-2000:]!r}\nIt took longer than {_SECONDS} s."
    return Started(token, status, report.read_text("utf-8", "replace"), printed, oracle.notes(noted))


def start_python(starting: Starting, item: str) -> Started:
    """Run pytest, unittest or an item."""
    token = secrets.token_hex(16)
    words: tuple[str, ...] = ()
    stdin = encode(token, item=item)
    file = inside("python") / "apart" / "in_grader" / "items.py"
    if starting.runner != "items":
        file = RUNNERS / starting.runner / "inside" / f"{starting.runner}_apart.py"
        words = ("-m", starting.runner, *_PYTHON_OPTIONS[starting.runner], *starting.files)
        stdin = f"{token}\n".encode()
    front, _, rest = starting.program(bundle(file)).partition("\n")
    watch = (_ROOM / "oracle_python.py").read_text("utf-8").replace("from __future__ import annotations\n", "")
    with supervisor(starting.player) as path:
        command = (sys.executable, "-c", compiled_elsewhere(f"{front}\n{watch}\n{rest}"), *words)
        return _ran(command, starting, token, stdin, {"GRADEBOX_CANDIDATE": path})


def start_javascript(starting: Starting, item: str) -> Started:
    """Run `node --test` or an item."""
    token = secrets.token_hex(16)
    if starting.runner == "items":
        command = [*JAVASCRIPT.command, starting.program(bundle(*JAVASCRIPT.apart))]
        stdin = encode(token, item=item)
    else:
        adapter = node_test.recognise(("node", "--test"))
        assert adapter is not None
        files = [word for word in (*adapter.words, *adapter.files, node_test.RUNNER.apart) if isinstance(word, File)]
        for file in files:
            text = file.source.text()
            (starting.directory / file.path).write_text(starting.program(text))
        command = ["node", f"--test-reporter={starting.directory / files[0].path}", "--test", *starting.files]
        stdin = f"{token}\n".encode()
    return _beside(command, starting, token, stdin)


def start_julia(starting: Starting, item: str) -> Started:
    """Run an item or a file of tests in a container."""
    token = secrets.token_hex(16)
    command = [*JULIA.command, starting.program(bundle(*JULIA.apart))]
    if starting.runner == "items":
        return _beside(command, starting, token, encode(token, item=item))
    return _beside([*command, "--", *starting.files], starting, token, f"{token}\n".encode())


def _beside(command: Sequence[str], starting: Starting, token: str, stdin: bytes) -> Started:
    """Run a grader's process that starts `beside.sh`."""
    place = starting.directory.parent / f"pipes-{token[:8]}"
    place.mkdir()
    place.chmod(0o777)
    copy(BESIDE, place)
    program = place / "candidate"
    program.write_text(f'#!/bin/sh\nexec sh {place}/{BESIDE.name} {starting.player.way} {place} "$@"\n')
    program.chmod(0o755)
    with beside(starting.player, place):
        return _ran(command, starting, token, stdin, {"GRADEBOX_CANDIDATE": str(program)})


START: Mapping[str, Callable[[Starting, str], Started]] = {
    "python": start_python,
    "javascript": start_javascript,
    "julia": start_julia,
}

"""Fuzzed here: checkpoints, by a peer that lies (tests/liar). An input is the seed of many lies."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import partial
from pathlib import Path
from shutil import which

from fuzzing import Finding, Target, Unavailable

sys.path.insert(0, str(Path(__file__).parents[1] / "liar"))

from gates import watch
from lies import lessons

# Little enough for one input on a busy machine.
_MESSAGES = 1000


def prepare(language: str) -> None:
    """Learn what an honest candidate's process says."""
    if os.geteuid() != 0:
        raise Unavailable("Files of a submission belong to another user: it needs root.")
    if language == "javascript" and which("node") is None:
        raise Unavailable("There is no Node.js here.")
    lessons(language)


def lies(language: str, data: bytes) -> object:
    """Let a liar talk to a checkpoint."""
    seed = int.from_bytes(hashlib.sha256(data).digest()[:4], "big")
    watched = watch(language, seed, lessons(language), messages=_MESSAGES)
    if watched.findings:
        raise Finding("\n".join(watched.findings))
    return ""


# Julia's checkpoint takes a minute to begin: `make thorough` has it.
TARGETS = tuple(
    Target(f"liar-{language}", [b"0"], (), partial(lies, language), partial(prepare, language))
    for language in ("python", "javascript")
)

"""Fuzzed here: the same messages of JavaScript. An input is a seed, from which Node.js makes messages for a while."""

from __future__ import annotations

import hashlib
import os
import subprocess
from functools import cache
from shutil import which

from fuzzing import Finding, Target, Unavailable
from golden_boundary import javascript_program

_SECONDS = "2"


@cache
def _source() -> str:
    return javascript_program()


def prepare() -> None:
    """Find Node.js."""
    if which("node") is None:
        raise Unavailable("There is no Node.js here.")
    _source()


def messages(data: bytes) -> object:
    """Have both sides read messages; nothing but data and stand-ins comes of them."""
    seed = int.from_bytes(hashlib.sha256(data).digest()[:4], "big") >> 1
    env = {"PATH": os.environ["PATH"], "FUZZ_SECONDS": _SECONDS, "FUZZ_SEED": str(seed)}
    words = ["node", "--input-type=module", "-"]
    ran = subprocess.run(words, input=_source(), env=env, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise Finding((ran.stdout + ran.stderr)[:4000])
    return ""


TARGETS = (Target("apart-js", [b"0"], (), messages, prepare),)

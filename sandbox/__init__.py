"""Runs one command in one throwaway container, and reports what happened.

This package is mechanism: it knows no case, no check and no score. It never imports `graders`.

    from sandbox import Command, Sandbox, SandboxSpec, connect

    with Sandbox(connect(), SandboxSpec("python:3.12")) as sandbox:
        sandbox.snapshot()
        sandbox.reset(sandbox.uid(0))
        outcome = sandbox.run(Command(("python3", "-c", "pass"), uid=sandbox.uid(0)))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.archive import ArchiveEntry, file_entry
    from sandbox.ending import Fault, fault
    from sandbox.engines.connect import connect
    from sandbox.engines.engine import Engine
    from sandbox.errors import SandboxError
    from sandbox.profiles import DEFAULT, STRICT, Profile
    from sandbox.session import Sandbox
    from sandbox.types import Capture, Command, Ending, Limits, Network, Outcome, ResourceUsage, SandboxSpec

__all__ = [
    "DEFAULT",
    "STRICT",
    "ArchiveEntry",
    "Capture",
    "Command",
    "Ending",
    "Engine",
    "Fault",
    "Limits",
    "Network",
    "Outcome",
    "Profile",
    "ResourceUsage",
    "Sandbox",
    "SandboxError",
    "SandboxSpec",
    "connect",
    "fault",
    "file_entry",
]

_MODULES = {
    "sandbox.archive": ("ArchiveEntry", "file_entry"),
    "sandbox.ending": ("Fault", "fault"),
    "sandbox.engines.connect": ("connect",),
    "sandbox.engines.engine": ("Engine",),
    "sandbox.errors": ("SandboxError",),
    "sandbox.profiles": ("DEFAULT", "STRICT", "Profile"),
    "sandbox.session": ("Sandbox",),
}


def __getattr__(name: str) -> object:
    # Imported on first use: `import sandbox.errors` must not load everything.
    if name not in __all__:
        raise AttributeError(f"module 'sandbox' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    module = next((module for module, names in _MODULES.items() if name in names), "sandbox.types")
    return getattr(import_module(module), name)

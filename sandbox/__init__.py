"""Runs one command in one throwaway container, and reports what happened.

This package is mechanism: it knows no case, no check and no score. It never imports `graders`.

    from gradebox.sandbox import Command, Sandbox, SandboxSpec, connect

    with Sandbox(connect(), SandboxSpec("python:3.12")) as sandbox:
        sandbox.snapshot()
        sandbox.reset(sandbox.uid(0))
        outcome = sandbox.run(Command(("python3", "-c", "pass"), uid=sandbox.uid(0)))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradebox.sandbox.archive import ArchiveEntry, file_entry
    from gradebox.sandbox.ending import Fault, fault
    from gradebox.sandbox.engines.connect import connect
    from gradebox.sandbox.engines.engine import Engine
    from gradebox.sandbox.errors import SandboxError
    from gradebox.sandbox.limits import Limits, Network
    from gradebox.sandbox.profiles import DEFAULT, STRICT, Profile
    from gradebox.sandbox.session import Sandbox
    from gradebox.sandbox.types import Capture, Command, Ending, Outcome, ResourceUsage, SandboxSpec

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
    "gradebox.sandbox.archive": ("ArchiveEntry", "file_entry"),
    "gradebox.sandbox.ending": ("Fault", "fault"),
    "gradebox.sandbox.engines.connect": ("connect",),
    "gradebox.sandbox.engines.engine": ("Engine",),
    "gradebox.sandbox.errors": ("SandboxError",),
    "gradebox.sandbox.limits": ("Limits", "Network"),
    "gradebox.sandbox.profiles": ("DEFAULT", "STRICT", "Profile"),
    "gradebox.sandbox.session": ("Sandbox",),
}


def __getattr__(name: str) -> object:
    # Imported on first use: `import gradebox.sandbox.errors` must not load everything.
    if name not in __all__:
        raise AttributeError(f"module 'sandbox' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    module = next((module for module, names in _MODULES.items() if name in names), "gradebox.sandbox.types")
    return getattr(import_module(module), name)

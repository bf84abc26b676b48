"""Put the supervisor's binaries into wheels, so that an installed grade needs no compiler.

They run inside containers whatever the host is, so the wheel stays one for all platforms and carries each architecture.
An editable install of a source distribution, which holds no links, gets those of a checkout.
"""
# ruff: noqa: INP001 - a script that the build back end loads by its path

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class SupervisorBuildHook(BuildHookInterface[Any]):
    """Compile the supervisor with ziglang, which the build environment has."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before files are collected; an editable install compiles for itself when it first needs to."""
        package = Path(self.root) / ".ci" / "package"
        for room in ("graders", "plugins", "sandbox"):
            if not (package / "gradebox" / room).is_symlink():
                (package / "gradebox" / room).symlink_to(f"../../../{room}")
        if version == "editable":
            return
        sys.path.insert(0, str(package))
        from gradebox.sandbox.supervisor_build import build_all  # noqa: PLC0415 - importable from here on

        for path in build_all(Path(self.root) / "build" / "wheel"):
            build_data["force_include"][str(path)] = f"gradebox/sandbox/supervisor/bin/{path.name}"

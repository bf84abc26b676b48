"""Put the supervisor's binaries into wheels, so that an installed grade needs no compiler; and the order of the pages.

They run inside containers whatever the host is, so a wheel with each architecture is one for all platforms. It needs
ziglang, the one compiler that builds for each. Without ziglang, a machine's own ``cc`` builds for its architecture
alone, without a download. The wheel's tag then names that platform, so that no index and no other machine takes it.

    GRADEBOX_SUPERVISORS=all    each architecture, with ziglang, which the build environment gets if it is not there
    GRADEBOX_SUPERVISORS=own    this machine's, with cc
    (not set)                   all if ziglang is there, otherwise own if cc makes static programs, otherwise all

An editable install of a source distribution, which holds no links, gets those of a checkout.
"""
# ruff: noqa: INP001 - a script that the build back end loads by its path

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

CHOICES = ("all", "own")


def has_ziglang() -> bool:
    return importlib.util.find_spec("ziglang") is not None


class SupervisorBuildHook(BuildHookInterface[Any]):
    """Compile the supervisor."""

    def dependencies(self) -> list[str]:
        """Return what the build environment needs beside the back end."""
        return ["ziglang>=0.13"] if self._supervisors() == "all" else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before files are collected; an editable install compiles for itself when it first needs to."""
        build = self._builder()
        if version == "editable":
            return
        build_data["force_include"][f"{self.root}/.ci/mkdocs.yml"] = "gradebox/_docs/_pages.yml"
        directory = Path(self.root) / "build" / "wheel"
        if self._supervisors() == "all":
            programs = build.build_all(directory)
        else:
            programs = [build.build_own(directory)]
            machine = programs[0].name.removeprefix("supervisor-")
            build_data["tag"] = f"py3-none-linux_{machine}"
            build_data["pure_python"] = False
            self.app.display_warning(
                f"This wheel has the supervisor for {machine} alone. For all engines: GRADEBOX_SUPERVISORS=all"
            )
        for path in programs:
            build_data["force_include"][str(path)] = f"gradebox/sandbox/supervisor/bin/{path.name}"

    def _supervisors(self) -> str:
        chosen = os.environ.get("GRADEBOX_SUPERVISORS", "")
        if chosen in CHOICES:
            return chosen
        if chosen:
            raise ValueError(f"GRADEBOX_SUPERVISORS takes {' or '.join(CHOICES)}, not {chosen}.")
        return "own" if not has_ziglang() and self._builder().own_compiler_works() else "all"

    def _builder(self) -> Any:
        """Return the module of the package that compiles. A source distribution gets its links first."""
        package = Path(self.root) / ".ci" / "package"
        for room in ("graders", "plugins", "sandbox"):
            if not (package / "gradebox" / room).is_symlink():
                (package / "gradebox" / room).symlink_to(f"../../../{room}")
        sys.path.insert(0, str(package))
        from gradebox.sandbox import supervisor_build  # noqa: PLC0415 - importable from here on

        return supervisor_build

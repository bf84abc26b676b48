"""Finds the supervisor's binary for an architecture, or builds it from the C sources in ``supervisor/``.

A wheel contains the binaries in ``supervisor/bin/``. In a checkout they are compiled when first needed, with ``cc`` if
possible, otherwise with ziglang, and cached under a hash of their sources and options::

    build/supervisor/<architecture>-<cc or zig>-<hash>     (otherwise below $XDG_CACHE_HOME/gradebox)

The same sources and compiler give the same bytes, since the binaries hold no times, paths or debug information.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from gradebox.sandbox import caches
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.records import dataclass

SOURCES = Path(__file__).parent / "supervisor"
# The binaries of a wheel.
SHIPPED = SOURCES / "bin"
# Names of architectures: the engine's name, and the name from uname.
ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}
# The machine number in the header of an ELF file.
ELF_MACHINES = {"x86_64": 62, "aarch64": 183}
FLAGS = (
    "-std=c11",
    "-D_GNU_SOURCE",
    "-static",
    "-O2",
    "-fstack-protector-strong",
    "-Wall",
    "-Wextra",
    "-ffile-prefix-map=.=supervisor",
    "-Wl,--build-id=none",
    "-s",
)
# Generous: ziglang compiles a C library first, and a machine may be busy.
COMPILE_SECONDS = 900
MESSAGE_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler for an architecture."""

    name: str
    argv: tuple[str, ...]


def binary(architecture: str) -> bytes:
    """Return the supervisor for an architecture, given Docker's or uname's name for it.

    Raises:
        SandboxError: If the architecture is unsupported, or no compiler can build the supervisor.
    """
    machine = _machine(architecture)
    shipped = SHIPPED / f"supervisor-{machine}"
    if shipped.is_file():
        return shipped.read_bytes()
    compilers = _compilers(machine)
    directory = _cache()
    paths = [directory / f"{machine}-{compiler.name}-{_key(compiler)}" for compiler in compilers]
    for path in paths:
        if path.is_file():
            return path.read_bytes()
    failures = []
    for compiler, path in zip(compilers, paths, strict=True):
        try:
            _compile(compiler, machine, path)
        except SandboxError as error:
            failures.append(error.message)
        else:
            return path.read_bytes()
    raise SandboxError(
        " ".join([f"The supervisor for {machine} is not built.", *failures]),
        remedy="Install a C compiler with a static C library, or ziglang: pip install ziglang.",
    )


def build_all(directory: Path) -> list[Path]:
    """Build the supervisor for every architecture into a directory, for a wheel; return the files."""
    built = []
    for machine in ELF_MACHINES:
        path = directory / f"supervisor-{machine}"
        _compile(_zig(machine), machine, path)
        built.append(path)
    return built


def build_own(directory: Path) -> Path:
    """Build the supervisor for this machine into a directory with its own ``cc``; return the file.

    Raises:
        SandboxError: If there is no such compiler, or it cannot build a static program.
    """
    machine = _machine(platform.machine())
    path = directory / f"supervisor-{machine}"
    if (compiler := _own(machine)) is None:
        raise SandboxError(
            "This machine has no cc that builds programs for Linux.",
            remedy="Install a C compiler with a static C library, or ziglang: pip install ziglang.",
        )
    _compile(compiler, machine, path)
    return path


def own_compiler_works() -> bool:
    """Return whether this machine's ``cc`` builds the supervisor for this machine."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            build_own(Path(directory))
        except SandboxError:
            return False
    return True


def _machine(architecture: str) -> str:
    machine = ALIASES.get(architecture, architecture)
    if machine not in ELF_MACHINES:
        raise SandboxError(
            f"The supervisor does not support the architecture {architecture!r}.",
            remedy=f"Use an engine and images for one of: {', '.join(ELF_MACHINES)}.",
        )
    return machine


def _zig(machine: str) -> Compiler:
    return Compiler("zig", (sys.executable, "-m", "ziglang", "cc", "-target", f"{machine}-linux-musl"))


def _own(machine: str) -> Compiler | None:
    """Return this machine's own compiler if it builds for an architecture, otherwise None."""
    if sys.platform != "linux" or ALIASES.get(platform.machine(), platform.machine()) != machine:
        return None
    return Compiler("cc", (cc,)) if (cc := shutil.which("cc")) else None


def _compilers(machine: str) -> list[Compiler]:
    """Return the available compilers, the preferred one first."""
    found = [own] if (own := _own(machine)) else []
    if importlib.util.find_spec("ziglang"):
        found.append(_zig(machine))
    return found


def _key(compiler: Compiler) -> str:
    """Return a hash of the sources and options of a binary."""
    digest = hashlib.sha256(repr((compiler.name, FLAGS)).encode())
    for source in sorted(SOURCES.glob("*.[ch]")):
        data = source.read_bytes()
        digest.update(f"{source.name} {len(data)} ".encode() + data)
    return digest.hexdigest()[:16]


def _cache() -> Path:
    """Return the directory of compiled binaries: the checkout's if it is writable, otherwise the user's."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").is_file() and os.access(checkout, os.W_OK):
        return checkout / "build" / "supervisor"
    return caches.directory() / "supervisor"


def _compile(compiler: Compiler, machine: str, path: Path) -> None:
    """Compile to `path`; the file appears only when it is complete."""
    sources = sorted(source.name for source in SOURCES.glob("*.c"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".build-") as scratch:
            result = Path(scratch) / "supervisor"
            _call([*compiler.argv, *FLAGS, "-o", str(result), *sources])
            header = result.read_bytes()[:20]
            if header[:4] != b"\x7fELF" or int.from_bytes(header[18:20], "little") != ELF_MACHINES[machine]:
                raise SandboxError(f"{compiler.name} built a file that is not a program for {machine}.")
            result.chmod(0o755)
            result.replace(path)
    except OSError as error:
        raise SandboxError(f"{compiler.name} could not build the supervisor in {path.parent}: {error}.") from error


def _call(argv: list[str]) -> None:
    try:
        done = subprocess.run(argv, cwd=SOURCES, capture_output=True, timeout=COMPILE_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise SandboxError(f"{argv[0]} did not build the supervisor within {COMPILE_SECONDS} seconds.") from error
    if done.returncode != 0:
        output = done.stderr.decode("utf-8", "replace").strip()[-MESSAGE_CHARACTERS:]
        raise SandboxError(f"{argv[0]} could not build the supervisor (exit {done.returncode}): {output}.")

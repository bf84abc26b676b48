"""Building the supervisor: the same bytes each time, for each architecture, and an honest error where it cannot be."""

from __future__ import annotations

import platform
import struct
import subprocess
from pathlib import Path

import pytest

from gradebox.sandbox import supervisor_build
from gradebox.sandbox.errors import SandboxError
from gradebox.sandbox.supervisor_build import SOURCES, Compiler, binary, build_all

MODULE = "gradebox.sandbox.supervisor_build"


# The ELF segment that names the loader of a program that is not static.
PT_INTERP = 3


def machine_of(program: bytes) -> int:
    return int.from_bytes(program[18:20], "little")


def segments(program: bytes) -> list[int]:
    """The types of a 64-bit program's segments."""
    (offset,) = struct.unpack_from("<Q", program, 32)
    size, count = struct.unpack_from("<HH", program, 54)
    return [struct.unpack_from("<I", program, offset + number * size)[0] for number in range(count)]


@pytest.mark.parametrize("architecture", ["x86_64", "amd64"])
def test_the_program_is_static(architecture: str) -> None:
    program = binary(architecture)
    assert program.startswith(b"\x7fELF")
    assert machine_of(program) == 62
    assert PT_INTERP not in segments(program)


@pytest.mark.thorough
def test_a_wheel_gets_the_same_static_programs_each_time(tmp_path: Path) -> None:
    first, second = (build_all(tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == ["supervisor-x86_64", "supervisor-aarch64"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert [machine_of(path.read_bytes()) for path in first] == [62, 183]
    assert all(PT_INTERP not in segments(path.read_bytes()) for path in first)
    assert first[1].read_bytes() == binary("arm64")


def test_two_builds_are_the_same_bytes_and_tell_nothing_of_where_they_were_built(tmp_path: Path) -> None:
    path = tmp_path / "second"
    supervisor_build._compile(supervisor_build._compilers("x86_64")[0], "x86_64", path)
    assert path.read_bytes() == binary("x86_64")
    assert str(SOURCES).encode() not in path.read_bytes()
    assert str(tmp_path).encode() not in path.read_bytes()


def test_compilers_have_nothing_to_say_about_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(supervisor_build, "FLAGS", (*supervisor_build.FLAGS, "-Werror", "-Wshadow"))
    path = tmp_path / "supervisor"
    supervisor_build._compile(supervisor_build._compilers("x86_64")[0], "x86_64", path)
    assert path.is_file()


def test_it_refuses_to_run_outside_a_container(tmp_path: Path) -> None:
    """If someone starts it by hand, then it does nothing, since it would end every process of the machine."""
    program = tmp_path / "supervisor"
    program.write_bytes(binary("x86_64"))
    program.chmod(0o755)
    done = subprocess.run([program, str(tmp_path), "60"], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"must be PID 1" in done.stderr


@pytest.mark.thorough
def test_a_machine_builds_for_itself_with_its_own_compiler(tmp_path: Path) -> None:
    path = supervisor_build.build_own(tmp_path)
    assert path.name == f"supervisor-{platform.machine()}"
    assert path.read_bytes() == binary(platform.machine())
    assert supervisor_build.own_compiler_works()


def test_without_a_compiler_of_its_own_a_machine_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not supervisor_build.own_compiler_works()
    with pytest.raises(SandboxError, match="no cc that builds programs for Linux"):
        supervisor_build.build_own(tmp_path)


def test_an_unknown_architecture_is_named_with_those_that_would_do() -> None:
    with pytest.raises(SandboxError, match="'riscv64'") as caught:
        binary("riscv64")
    assert "x86_64, aarch64" in caught.value.remedy


def test_without_a_compiler_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(f"{MODULE}._compilers", lambda machine: [])
    monkeypatch.setattr(f"{MODULE}._cache", lambda: tmp_path)
    with pytest.raises(SandboxError, match="is not built") as caught:
        binary("x86_64")
    assert "pip install ziglang" in caught.value.remedy


def test_a_compiler_that_fails_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    good = Compiler("next", supervisor_build._compilers("x86_64")[0].argv)
    monkeypatch.setattr(f"{MODULE}._compilers", lambda machine: [Compiler("cc", ("false",)), good])
    monkeypatch.setattr(f"{MODULE}._cache", lambda: tmp_path)
    assert machine_of(binary("x86_64")) == 62
    assert [path.name.rsplit("-", 1)[0] for path in tmp_path.iterdir()] == ["x86_64-next"]


def test_what_every_compiler_said_is_in_the_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lost = Compiler("lost", ("/nonexistent/compiler",))
    wrong = Compiler("wrong", ("sh", "-c", "while test $1 != -o; do shift; done; echo text > $2", "sh"))
    monkeypatch.setattr(f"{MODULE}._compilers", lambda machine: [Compiler("cc", ("false",)), lost, wrong])
    monkeypatch.setattr(f"{MODULE}._cache", lambda: tmp_path)
    with pytest.raises(SandboxError) as caught:
        binary("x86_64")
    assert "false could not build the supervisor (exit 1)" in caught.value.message
    assert "lost could not build the supervisor" in caught.value.message
    assert "wrong built a file that is not a program for x86_64" in caught.value.message
    assert list(tmp_path.iterdir()) == []


def test_changed_sources_are_built_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If the protocol changes, then an older binary in the cache is not what is found."""
    compiler = Compiler("cc", ("cc",))
    before = supervisor_build._key(compiler)
    for source in SOURCES.glob("*.[ch]"):
        (tmp_path / source.name).write_bytes(source.read_bytes())
    monkeypatch.setattr(supervisor_build, "SOURCES", tmp_path)
    assert supervisor_build._key(compiler) == before
    with (tmp_path / "protocol.h").open("a") as header:
        header.write("\n")
    assert supervisor_build._key(compiler) != before


def test_an_installed_package_brings_its_binaries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "supervisor-aarch64").write_bytes(b"shipped")
    monkeypatch.setattr(supervisor_build, "SHIPPED", tmp_path)
    assert binary("arm64") == b"shipped"

"""Root filesystems: of images, and the layer over them."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.sandbox.engines.oci import roots
from gradebox.sandbox.errors import EngineRefused

IMAGE = "sha256:1234"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/gradebox/oci"


def archive(**links: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo("etc/name")
        member.size, member.mode = 2, 0o640
        tar.addfile(member, io.BytesIO(b"ab"))
        for name, target in links.items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(member)
    return buffer.getvalue()


def test_an_image_is_unpacked_once(home: Path) -> None:
    roots.unpack(IMAGE, [archive()], ["/data/deep"])
    place = roots.directory_of(IMAGE)
    assert place == home / "images/1234"
    assert (place / "etc/name").read_bytes() == b"ab"
    assert (place / "etc/name").stat().st_mode & 0o777 == 0o640
    assert (place / "data/deep").is_dir()

    def unwanted() -> Iterator[bytes]:
        raise AssertionError("it is there already")
        yield b""

    roots.unpack(IMAGE, unwanted(), [])
    assert home.stat().st_mode & 0o777 == 0o700
    assert list(roots.kept()) == [place]


def test_a_volume_behind_a_link_makes_nothing_on_this_machine(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    roots.unpack(IMAGE, [archive(data=str(outside))], ["/data/deep", "/../up"])
    assert not list(outside.iterdir())
    assert not (roots.directory_of(IMAGE).parent / "up").exists()


def test_what_cannot_be_unpacked_leaves_nothing(home: Path) -> None:
    with pytest.raises(EngineRefused, match="1234 cannot be written"):
        roots.unpack(IMAGE, [b"this is not an archive" * 100], [])
    assert not list(roots.kept())


def test_an_archive_that_breaks_off_leaves_nothing(home: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield archive()[:512]
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        roots.unpack(IMAGE, broken(), [])
    assert not list(roots.kept())


def test_the_layer_has_the_supervisor_where_only_root_enters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_program", lambda _: b"program")
    place = roots.layer("x86_64")
    assert place == roots.layer("x86_64")
    assert (place / ".gradebox/volume/supervisor").read_bytes() == b"program"
    modes = {name: (place / name).stat().st_mode & 0o7777 for name in (".gradebox", ".candidate", "workspace", "tmp")}
    assert modes == {".gradebox": 0o700, ".candidate": 0o700, "workspace": 0o1777, "tmp": 0o1777}
    assert b"localhost" in (place / "etc/hosts").read_bytes()


def test_a_damaged_supervisor_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "_program", lambda _: b"program")
    assert not roots.repair("x86_64")
    program = roots.layer("x86_64") / ".gradebox/volume/supervisor"
    program.chmod(0o755)
    program.write_bytes(b"")
    assert roots.repair("x86_64")
    assert program.parent.parent.parent == roots.layer("x86_64")
    assert program.read_bytes() == b"program"


def test_a_hosts_file_has_further_names_of_loopback() -> None:
    assert roots.hosts(()) == roots._FILES["etc/hosts"]
    assert roots.hosts(("db", "web")) == roots.hosts(()) + b"127.0.0.1\tdb\n127.0.0.1\tweb\n"

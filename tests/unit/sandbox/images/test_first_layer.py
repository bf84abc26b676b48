"""Where the first layer comes from, with a program on PATH in place of mmdebstrap."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_images import FakeImages

from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import first_layer
from gradebox.sandbox.images.first_layer import Roots
from gradebox.sandbox.images.recipes import Root

DEBIAN = Root("debian:bookworm-slim", "bookworm")
OTHER = Root("julia:1.10-bookworm", "bullseye")


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def bootstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for mmdebstrap that writes its arguments to the archive; tests may write another."""
    program = tmp_path / "bin" / "mmdebstrap"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "I: making it" >&2\nfor last; do :; done\necho "$@" > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def test_an_image_that_the_engine_has_is_taken_as_it_is(lines: list[str]) -> None:
    for reference in (DEBIAN.registry, DEBIAN.imported):
        engine = FakeImages(silent=True)
        engine.add(reference)

        assert Roots(engine).obtain(DEBIAN, lines.append) == reference
        assert engine.pulled == []


def test_a_registry_that_answers_is_preferred(lines: list[str]) -> None:
    engine = FakeImages(registry={DEBIAN.registry})

    assert Roots(engine).obtain(DEBIAN, lines.append) == DEBIAN.registry
    assert engine.imported == {}


def test_without_a_registry_the_release_is_made_and_imported(bootstrap: Path, lines: list[str]) -> None:
    engine = FakeImages(silent=True)

    assert Roots(engine).obtain(DEBIAN, lines.append) == "gradebox/debian:bookworm"
    arguments = engine.imported["gradebox/debian:bookworm"].decode()
    assert "--variant=minbase" in arguments
    assert " bookworm /" in arguments
    assert "making it" in lines
    assert any("No registry provides debian:bookworm-slim: it did not answer" in line for line in lines)


def test_a_registry_that_refused_once_is_not_asked_again(bootstrap: Path, lines: list[str]) -> None:
    engine = FakeImages(silent=True)
    roots = Roots(engine)
    roots.obtain(DEBIAN, lines.append)
    roots.obtain(OTHER, lines.append)

    assert engine.pulled == [DEBIAN.registry]
    assert set(engine.imported) == {"gradebox/debian:bookworm", "gradebox/debian:bullseye"}


def test_fresh_does_not_take_what_the_engine_has(bootstrap: Path, lines: list[str]) -> None:
    engine = FakeImages(silent=True)
    engine.add(DEBIAN.imported)
    Roots(engine, fresh=True).obtain(DEBIAN, lines.append)

    assert set(engine.imported) == {DEBIAN.imported}


def test_without_mmdebstrap_the_error_has_both_ways_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ImageUnavailable) as raised:
        Roots(FakeImages(silent=True)).obtain(DEBIAN, lines.append)

    assert "it did not answer" in raised.value.message
    assert "mmdebstrap is not installed" in raised.value.message
    assert "apt-get install mmdebstrap" in raised.value.remedy
    assert "registry" in raised.value.remedy


@pytest.mark.parametrize(("uid", "remedy"), [(0, "Debian mirror"), (1000, "as root")])
def test_what_mmdebstrap_left_unfinished_is_not_imported(
    bootstrap: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str], uid: int, remedy: str
) -> None:
    bootstrap.write_text(
        '#!/bin/sh\nfor last; do :; done\necho half > "$last"\necho "E: apt-get update failed" >&2\nexit 100\n'
    )
    monkeypatch.setattr("os.geteuid", lambda: uid)
    engine = FakeImages(silent=True)

    with pytest.raises(ImageUnavailable) as raised:
        Roots(engine).obtain(DEBIAN, lines.append)

    assert "apt-get update failed" in raised.value.message
    assert remedy in raised.value.remedy
    assert engine.imported == {}


def test_the_archive_is_not_left_behind(
    bootstrap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    Roots(FakeImages(silent=True)).obtain(DEBIAN, lines.append)

    assert list(scratch.iterdir()) == []


def test_bullseye_is_made_without_the_hook_for_one_usr(bootstrap: Path, tmp_path: Path, lines: list[str]) -> None:
    """Its archive has no package to say so, and the hook would fail for lack of it."""
    tar = tmp_path / "root.tar"
    first_layer.bootstrap("bullseye", tar, lines.append, why="")

    assert "--hook-dir" not in tar.read_text()

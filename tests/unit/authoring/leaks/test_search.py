"""What a search of an image's files finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import planted_leaks
import pytest

from gradebox import load_case
from gradebox.graders.authoring.leaks.hidden import Hidden, hidden_of
from gradebox.graders.authoring.leaks.search import Searched, search_environment, search_image
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.engines.engine import ImageInfo

IMAGE = ImageInfo("sha256:1", "one", volumes=("/volume",))


@pytest.fixture(autouse=True)
def kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def hidden(tmp_path: Path) -> Hidden:
    case = load_case(planted_leaks.written_case(tmp_path / "case"))
    return hidden_of(case, read_reference(case))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def search(archive: bytes, hidden: Hidden, image: ImageInfo = IMAGE) -> Searched:
    def export() -> Iterator[bytes]:
        yield from (archive[start : start + 1000] for start in range(0, len(archive), 1000))

    return search_image(image, hidden, export, stopped=lambda: False)


@pytest.mark.parametrize("plant", planted_leaks.PLANTED, ids=lambda plant: plant.__name__)
def test_each_planted_leak_is_found(plant: Callable[[Path], None], root: Path, hidden: Hidden) -> None:
    plant(root)
    found = search(planted_leaks.archived(root), hidden)
    assert found.leaks
    wanted = "grading/test_intervals.py" if plant is planted_leaks.hidden_tests else "the reference's intervals.py"
    assert {leak.hidden for leak in found.leaks} == {wanted}
    assert min(leak.share for leak in found.leaks) > 0.7


def test_a_leak_in_the_environment_is_found_without_its_lines(hidden: Hidden) -> None:
    env = {"HINT": " ".join(planted_leaks.ANSWER.split()), "PATH": "/usr/bin"}
    (leak,) = search_environment(env, hidden)
    assert leak.place == "the environment variable HINT"


def test_what_the_candidate_cannot_read_is_no_leak(root: Path, hidden: Hidden) -> None:
    planted_leaks.plain(root)
    assert search(planted_leaks.archived(root, 0o600), hidden) == Searched()
    (root / "opt").rename(root / "volume")
    image = ImageInfo("sha256:2", "two", volumes=("/volume",))
    assert search(planted_leaks.archived(root), hidden, image) == Searched()


def test_an_image_is_read_once(root: Path, hidden: Hidden) -> None:
    planted_leaks.plain(root)
    first = search(planted_leaks.archived(root), hidden)
    assert search(b"nothing", hidden) == first


def test_a_search_that_was_stopped_is_not_kept(root: Path, hidden: Hidden) -> None:
    planted_leaks.plain(root)
    archive = planted_leaks.archived(root)
    assert not search_image(IMAGE, hidden, lambda: iter([archive]), stopped=lambda: True).is_whole
    assert search(archive, hidden).is_whole


def test_a_leak_in_a_large_file_is_found_as_a_whole(root: Path, hidden: Hidden) -> None:
    lines = "".join(f"value_{number} = {number} + other_{number} // {number}\n" for number in range(9000))
    (root / "all.py").write_text(lines[:100_000] + planted_leaks.ANSWER + lines[100_000:])
    (leak,) = search(planted_leaks.archived(root), hidden).leaks
    assert (leak.place, leak.share) == ("/all.py", 1.0)


def test_what_is_scattered_over_a_large_file_is_none(root: Path, hidden: Hidden) -> None:
    between = "".join(f"value_{number} = {number} + other_{number} // {number}\n" for number in range(2500))
    (root / "all.py").write_text(between.join(planted_leaks.ANSWER.splitlines(keepends=True)))
    assert search(planted_leaks.archived(root), hidden).leaks == []

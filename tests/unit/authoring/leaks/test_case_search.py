"""The search of a case's image, workspace and environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import planted_leaks
import pytest
from fake_engine import FakeEngine
from fake_images import FakeImages

from gradebox import load_case
from gradebox.graders.authoring.leaks.case_search import CaseSearch, described, problems, search_case, sentences
from gradebox.graders.authoring.leaks.search import Leak, Searched
from gradebox.graders.grading.image_choice import image_of
from gradebox.sandbox.engines.here.no_images import NoImages


@pytest.fixture(autouse=True)
def kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def written_case(place: Path, more: str = "") -> Path:
    return planted_leaks.written_case(place, more, "image")


def searched(place: Path, engine: FakeEngine) -> CaseSearch:
    found = search_case(engine, load_case(place), image_of, lambda: False)
    assert found is not None
    return found


def test_a_leak_is_unfair_and_named_with_path_and_share(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    planted_leaks.plain(tmp_path / "root")
    engine = FakeEngine(images=FakeImages(root=planted_leaks.archived(tmp_path / "root")))
    found = searched(written_case(tmp_path / "case"), engine)
    (problem,) = problems(found)
    assert problem.level == "unfair"
    assert "can read the reference's intervals.py before it is graded: 100% in /opt/notes.txt." in problem.message
    assert described(found)["found"] == [
        {"place": "/opt/notes.txt", "hidden": "the reference's intervals.py", "share": 1.0}
    ]


@pytest.mark.parametrize("plant", [planted_leaks.compiled, planted_leaks.wheel])
def test_the_workspace_may_hide_it_in_another_form(plant: Callable[[Path], None], tmp_path: Path) -> None:
    place = written_case(tmp_path / "case")
    (place / "workspace").mkdir()
    plant(place / "workspace")
    (problem,) = problems(searched(place, FakeEngine()))
    assert " in /workspace/" in problem.message


def test_the_environment_is_searched(tmp_path: Path) -> None:
    text = " ".join(planted_leaks.ANSWER.split()).replace('"', "'")
    place = written_case(tmp_path / "case", f'env: {{HINT: "{text}"}}\n')
    (problem,) = problems(searched(place, FakeEngine()))
    assert "in the environment variable HINT." in problem.message


def test_an_engine_without_images_is_named(tmp_path: Path) -> None:
    found = searched(written_case(tmp_path / "case"), FakeEngine(images=NoImages()))
    assert "could not be read (here:// has no images" in "".join(sentences(found))


def test_sentences_say_how_much_was_read() -> None:
    found = CaseSearch("it", Searched(files=1200, size_bytes=3 << 20, cut=["/a"], is_whole=False), "", ("b",))
    assert list(sentences(found)) == [
        "1,200 files (3 MiB, not the whole image) of the image it were searched for the answer.",
        "Only a part was read of /a.",
        "Not searched for, because they are too short: b.",
    ]


def test_many_places_are_counted() -> None:
    leaks = [Leak(f"/{number}", "a", 0.9) for number in range(5)]
    (problem,) = problems(CaseSearch("it", Searched(leaks)))
    assert "90% in /0, 90% in /1, 90% in /2 and 2 more." in problem.message

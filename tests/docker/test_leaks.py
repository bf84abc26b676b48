"""Answers in real images."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import planted_leaks
import pytest

from gradebox import load_case, load_cases
from gradebox.graders.authoring.leaks.case_search import is_own, problems, search_case
from gradebox.graders.authoring.leaks.hidden import hidden_of
from gradebox.graders.authoring.leaks.search import search_image
from gradebox.graders.grading.image_choice import image_of
from gradebox.graders.model.case import Case
from gradebox.graders.submissions.source import read_reference
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine

CASES = Path(__file__).parents[2] / "cases"
NAME = "gradebox-planted-leaks:test"


@pytest.fixture(autouse=True)
def kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_layers_and_variables_of_an_image_are_searched(engine: DockerEngine, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    planted_leaks.hidden_tests(tmp_path / "root")
    answer = " ".join(planted_leaks.ANSWER.split()).replace('"', "'")
    dockerfile = f'FROM gradebox/base\nADD root.tar /\nENV HINT="{answer}"\n'.encode()
    context = io.BytesIO()
    with tarfile.open(fileobj=context, mode="w") as into:
        for name, data in (("Dockerfile", dockerfile), ("root.tar", planted_leaks.archived(tmp_path / "root"))):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            into.addfile(entry, io.BytesIO(data))
    engine.images.build(context.getvalue(), [NAME], arguments={}, labels={}, fresh=False, on_line=lambda _: None)
    try:
        case = load_case(planted_leaks.written_case(tmp_path / "case", image=NAME))
        found = search_case(engine, case, image_of, lambda: False)
    finally:
        engine.images.remove(NAME)
    assert found is not None
    assert {(leak.place, leak.hidden) for leak in found.searched.leaks} == {
        ("/srv/test_it.py", "grading/test_intervals.py"),
        ("the environment variable HINT", "the reference's intervals.py"),
    }


@pytest.mark.parametrize("name", ["add-auth", "bank-account", "fix-null-check"])
def test_shipped_cases_are_searched_without_their_images(engine: DockerEngine, name: str) -> None:
    found = search_case(engine, load_case(CASES / name), image_of, lambda: False)
    assert found is not None
    assert found.not_searched == "is gradebox's own"
    assert not list(problems(found))


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", load_cases(CASES), ids=lambda case: case.id)
def test_shipped_images_hold_no_answer(engine: DockerEngine, case: Case) -> None:
    image = engine.image(image_of(case))
    assert is_own(engine, image)
    hidden = hidden_of(case, read_reference(case))
    found = search_image(image, hidden, lambda: engine.images.export(image.id, {}), stopped=lambda: False)
    assert (found.leaks, found.is_whole) == ([], True)
    assert found.files > 1000

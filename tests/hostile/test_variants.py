"""Variants of each class of hole: all of a class in one submission, and in `make thorough` each of them alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from corpus import BASES, HERE, RUNTIME
from defence_room import Room
from pydantic import BaseModel, ConfigDict, Field
from weakened_defences import Defence, switched_off

from gradebox.graders.grading.grade import grade
from gradebox.graders.grading.image_choice import image_of
from gradebox.graders.grading.settings import Settings
from gradebox.graders.grading.task import load_case
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.submissions.source import read_submission

BREACH = b"BREACH"
LEAST = 10
# How each language goes on after a variant that breaks down. A variant is a JSON text, which all of them read.
_TRIES = {
    ".py": "try:\n    exec(@)\nexcept Exception as error:\n    print(error)\n",
    ".js": "try { eval(@); } catch (error) { console.error(error.message); }\n",
    ".sh": "eval @ 2>/dev/null\n",
}
# What a variant solves on top of that: nothing, in the words of the base.
_ENDS = {".py": "print('wrong')\n", ".js": "console.log('wrong');\n", ".sh": "slugify() { return 1; }\n"}


class Class(BaseModel):
    """One entry of the table."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: str = Field(alias="class")
    base: str
    laid_as: str = Field("", alias="as")
    defences: tuple[Defence, ...]
    first: str = ""
    held: tuple[str, ...] = ()
    not_under: Mapping[str, str] = {}
    variants: Mapping[str, str | Mapping[str, str]]

    def lay(self, directory: Path, *names: str) -> Path:
        """Write some variants into the directory of a submission, and return it."""
        chosen = [self.variants[name] for name in names]
        files = {path: text for variant in chosen if not isinstance(variant, str) for path, text in variant.items()}
        if self.laid_as:
            suffix = Path(self.laid_as).suffix
            quoted = (_quoted(variant, suffix) for variant in chosen if isinstance(variant, str))
            files[self.laid_as] = "".join(
                [self.first, *(_TRIES[suffix].replace("@", text) for text in quoted), _ENDS[suffix]]
            )
        for path, text in files.items():
            (directory / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / path).write_text(text, "utf-8")
        return directory


def _quoted(text: str, suffix: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'" if suffix == ".sh" else json.dumps(text)


CLASSES = tuple(map(Class.model_validate, yaml.safe_load((HERE / "variants.yaml").read_text("utf-8"))))
EACH = [pytest.param(one, name, id=f"{one.base}-{name}") for one in CLASSES for name in one.variants]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    room = Room(tmp_path_factory.mktemp("room"))
    yield room
    room.close()


def graded(room: Room, one: Class, directory: Path, *names: str) -> Result:
    case = load_case(BASES / one.base)
    return grade(
        room.engine, case, read_submission(one.lay(directory, *names)), Settings(image_of=image_of, runtime=RUNTIME)
    )


def succeeded(result: Result) -> bool:
    """Say whether an attack passed, or printed that it got what it wanted."""
    assert result.outcomes is not None
    ran = (step.outcome for steps in result.outcomes.done.values() for step in steps)
    printed = (stream for outcome in ran for stream in (outcome.stdout, outcome.stderr))
    return result.verdict.status is Status.PASSED or any(BREACH in stream.content() for stream in printed)


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: re.sub(r"\W+", "-", one.name))
@pytest.mark.timeout(120)
def test_no_variant_of_a_class_succeeds(one: Class, room: Room, runtime: str, tmp_path: Path) -> None:
    assert len(one.variants) >= LEAST
    if runtime in one.not_under:
        pytest.skip(f"{runtime}: {one.not_under[runtime]}")
    result = graded(room, one, tmp_path, *one.variants)
    assert result.verdict.status is Status.FAILED, result.verdict.reasons
    assert not succeeded(result)


@pytest.mark.thorough
@pytest.mark.parametrize(("one", "name"), EACH)
@pytest.mark.timeout(120)
def test_each_variant_succeeds_without_its_defences(one: Class, name: str, room: Room, tmp_path: Path) -> None:
    (tmp_path / "held").mkdir()
    result = graded(room, one, tmp_path / "held", name)
    assert (result.verdict.status, succeeded(result)) == (Status.FAILED, False), result.verdict.reasons
    with switched_off(*one.defences):
        assert succeeded(graded(room, one, tmp_path, name)) is (name not in one.held)

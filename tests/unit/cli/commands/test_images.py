"""``grade images``: what it prints of builds, lists and removals, and which images it means."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from fake_engine import FakeEngine

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.sandbox.engines import docker
from gradebox.sandbox.engines.engine import Leftover
from gradebox.sandbox.images import build as builds
from gradebox.sandbox.images.build import BuildEvent, BuildStep, BuiltImage, ImageState, ListedImage
from gradebox.sandbox.images.described_image import LABEL_MACHINE, LABEL_SOURCE
from gradebox.sandbox.owner import LABEL

LISTED = [
    ListedImage("base", "gradebox/base:1", ImageState.CURRENT, "sha256:0123456789abcdef", 1_000_000, 0.0),
    *(ListedImage(f"the-{state}", f"gradebox/the-{state}:1", state) for state in ImageState),
]


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> FakeEngine:
    engine = FakeEngine(lambda _: pytest.fail("something was run"))
    monkeypatch.setattr(docker, "connect", lambda *_: engine)
    monkeypatch.setenv("NO_COLOR", "1")
    return engine


def test_images_are_listed_for_people_and_for_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builds, "list_built", lambda *_: LISTED)
    assert run(["images", "list"]) == ExitCode.PASSED
    head, first, *others = capsys.readouterr().out.splitlines()
    assert head.split() == ["image", "state", "id", "size", "built"]
    assert first.split() == ["gradebox/base:1", "current", "0123456789ab", "1", "MB", "1970-01-01"]
    assert [line.split() for line in others] == [[f"gradebox/the-{state}:1", state] for state in ImageState]
    assert run(["images", "list", "--json"]) == ExitCode.PASSED
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["name"], line["state"], line["created"]) for line in lines] == [
        ("base", "current", 0.0),
        *((f"the-{state}", state, None) for state in ImageState),
    ]


def test_a_build_is_told_on_stderr(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    requested: list[object] = []

    def build(
        names: Iterable[str], _: object, __: object, take: Callable[[BuildEvent], None], *, force: bool
    ) -> list[BuiltImage]:
        requested.append((list(names), force))
        take(BuildEvent("python", BuildStep.STARTED))
        take(BuildEvent("python", BuildStep.OUTPUT, "Step 1"))
        take(BuildEvent("python", BuildStep.BUILT))
        return [
            BuiltImage("base", "gradebox/base:1", "sha256:0123456789abcdef", reused=True, seconds=0.0),
            BuiltImage("python", "gradebox/python:1", "sha256:fedcba9876543210", reused=False, seconds=2.0),
        ]

    monkeypatch.setattr(builds, "build", build)
    assert run(["images", "build", "python", "--force"]) == ExitCode.PASSED
    assert requested == [(["python"], True)]
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "python: building",
        "base: is current (gradebox/base:1, 0123456789ab)",
        "python: built in 2 s (gradebox/python:1, fedcba987654)",
    ]


def test_everything_is_removed_from_the_engine_and_this_users_caches(
    engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "gradebox").mkdir()
    engine.extra = [Leftover("volume", "gradebox-supervisor-1", {LABEL: "supervisor"}, 0.0)]
    monkeypatch.setattr(builds, "remove", lambda *_: ["gradebox/base:1"])
    assert run(["images", "rm", "--everything"]) == ExitCode.PASSED
    assert capsys.readouterr().err.splitlines() == [
        "removed volume gradebox-supervisor-1",
        "removed gradebox/base:1",
        f"removed {tmp_path}/gradebox",
    ]
    assert run(["images", "rm", "--everything", "base"]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("removed", "said"), [(["gradebox/julia:1"], "removed gradebox/julia:1\n"), ([], "There was nothing to remove.\n")]
)
def test_a_removal_names_what_is_gone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], removed: list[str], said: str
) -> None:
    monkeypatch.setattr(builds, "remove", lambda *_: removed)
    assert run(["images", "rm", "julia"]) == ExitCode.PASSED
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("command", ["rm", "build"])
def test_an_image_that_there_is_not_is_a_mistake_of_the_command_line(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert run(["images", command, "nodee"]) == ExitCode.USAGE
    assert "Did you mean 'node'?" in capsys.readouterr().err


def own_image(engine: FakeEngine, name: str = "gradebox-case:0123", source: str = "/nowhere/case.yaml") -> None:
    engine.images.add(name, labels={LABEL_SOURCE: source, LABEL_MACHINE: platform.node()})  # type: ignore[attr-defined]


def test_images_of_cases_are_listed_with_their_case(
    engine: FakeEngine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(builds, "list_built", lambda *_: LISTED)
    monkeypatch.setenv("COLUMNS", "160")
    own_image(engine)
    assert run(["images", "list"]) == ExitCode.PASSED
    *_, last = capsys.readouterr().out.splitlines()
    assert last.split()[:2] == ["gradebox-case:0123", "built"]
    assert last.endswith("/nowhere/case.yaml")
    assert run(["images", "list", "--json"]) == ExitCode.PASSED
    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (line["reference"], line["case_file"]) == ("gradebox-case:0123", "/nowhere/case.yaml")


def test_an_image_of_a_case_is_removed_by_its_name_alone(
    engine: FakeEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    own_image(engine)
    own_image(engine, "gradebox-case:4567")
    assert run(["images", "rm", "gradebox-case:0123"]) == ExitCode.PASSED
    assert capsys.readouterr().err == "removed gradebox-case:0123\n"
    assert run(["images", "rm"]) == ExitCode.PASSED
    assert "removed gradebox-case:4567" in capsys.readouterr().err


def test_an_image_whose_case_is_gone_is_pruned(engine: FakeEngine, capsys: pytest.CaptureFixture[str]) -> None:
    own_image(engine)
    assert run(["images", "prune"]) == ExitCode.PASSED
    assert capsys.readouterr().err.startswith("removed gradebox-case:0123")
    assert run(["images", "prune"]) == ExitCode.PASSED
    assert capsys.readouterr().err == "There was nothing to remove.\n"


def test_images_that_cases_need_are_had_and_what_could_not_be_ends_with_4(
    engine: FakeEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.images.registry.add("there:1")  # type: ignore[attr-defined]
    for name in ("there", "gone"):
        (tmp_path / name).mkdir()
        text = f'input: x\nimage: {name}:1\nassertions: [{{type: code-grader, command: "true"}}]\n'
        (tmp_path / name / "case.yaml").write_text(text)
    assert run(["images", "warm", str(tmp_path / "there")]) == ExitCode.PASSED
    assert "\nthere:1: 0000" in capsys.readouterr().err
    assert run(["images", "warm", str(tmp_path), "--pull", "missing"]) == ExitCode.NOT_GRADED
    assert "The image gone:1 cannot be pulled: manifest unknown." in capsys.readouterr().err
    assert run(["images", "warm", str(tmp_path), "--pull", "sometimes"]) == ExitCode.USAGE

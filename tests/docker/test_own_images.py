"""Images that cases say how to build, on a real engine. The builds are small: what is tested is around them."""

from __future__ import annotations

import json
import os
import secrets
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradebox.graders import Grader, load_case
from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.model.events import Event, ImageBuilt
from gradebox.graders.model.result import Result
from gradebox.graders.model.verdict import Status
from gradebox.graders.runs.run_grader import RunGrader
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.images.described_image import LABEL_SOURCE, REPOSITORY

# What a Dockerfile may say of a container must not matter: it is not started by the image's words.
HOSTILE = """\
FROM gradebox/base
USER root
COPY . /made/
RUN chmod 4755 /bin/ls
ENV LEFT=right
VOLUME /data
HEALTHCHECK CMD false
ENTRYPOINT ["/bin/false"]
STOPSIGNAL SIGUSR1
USER nobody
"""
CASE = """\
image: {{dockerfile: Dockerfile{more}}}
assertions: [{{name: own, type: code-grader, command: {command}}}]
"""


@pytest.fixture
def place(tmp_path: Path, engine: DockerEngine) -> Iterator[Path]:
    """A case directory whose images are removed afterwards."""
    (tmp_path / "work").mkdir()
    case = tmp_path / "case"
    case.mkdir()
    # No two tests share an image, nor does any with an earlier run.
    (case / "nonce.txt").write_text(secrets.token_hex(8))
    yield case
    for image in engine.images.labelled(LABEL_SOURCE):
        if image.labels[LABEL_SOURCE].startswith(str(tmp_path)):
            for tag in image.tags:
                engine.images.remove(tag)


def grade(place: Path, dockerfile: str, command: str, more: str = "", **options: str) -> tuple[Result, list[Event]]:
    (place / "case.yaml").write_text(CASE.format(command=command, more=more))
    (place / "Dockerfile").write_text(dockerfile)
    events: list[Event] = []
    with RunGrader(**options).wired(emit=events.append) as grader:
        return grader.grade(load_case(place), place.parent / "work"), events


def built(events: list[Event]) -> list[ImageBuilt]:
    return [event for event in events if isinstance(event, ImageBuilt)]


def test_what_a_dockerfile_says_of_a_container_does_not_matter(place: Path) -> None:
    (place / "grading").mkdir()
    (place / "grading" / "hidden.txt").write_text("expected")
    walls = "grep NoNewPrivs:.1 /proc/self/status && ! touch /made/x && grep /data.tmpfs /proc/mounts"
    seen = f'"id -u && ls /made && {walls}"'

    result, events = grade(place, HOSTILE, seen)

    assert result.verdict.status is Status.PASSED, result.verdict
    output = result.verdict.checks[0].steps[0].outcome.stdout.text()
    assert "hidden" not in output
    assert "Dockerfile\nnonce.txt\n" in output
    assert "case.yaml" not in output
    assert int(output.split()[0]) >= 10_000
    (made,) = built(events)
    assert result.image == made.image
    assert result.image_id.startswith("sha256:")


def test_the_second_run_builds_nothing_and_a_changed_file_builds_again(place: Path) -> None:
    dockerfile = "FROM gradebox/base\nCOPY data.txt /data.txt\n"
    (place / "data.txt").write_text("one")
    first, events = grade(place, dockerfile, "grep one /data.txt")
    second, again = grade(place, dockerfile, "grep one /data.txt")
    (place / "data.txt").write_text("two")
    third, changed = grade(place, dockerfile, "grep two /data.txt")

    assert [len(built(each)) for each in (events, again, changed)] == [1, 0, 1]
    assert [each.verdict.status for each in (first, second, third)] == [Status.PASSED] * 3
    assert first.image_id == second.image_id != third.image_id


def test_arguments_and_a_stage_choose_what_is_built(place: Path) -> None:
    dockerfile = (
        "ARG BELOW=none\nFROM gradebox/${BELOW} AS test\nARG WORD\nUSER root\nRUN echo $WORD > /word\n"
        "FROM missing-image\n"
    )
    result, _ = grade(place, dockerfile, "grep hello /word", ", args: {BELOW: base, WORD: hello}, target: test")

    assert result.verdict.status is Status.PASSED, result.verdict


def test_a_build_that_fails_is_an_error_with_its_last_lines(place: Path) -> None:
    result, _ = grade(place, "FROM gradebox/base\nRUN echo compiling widgets && exit 3\n", '"true"')

    assert result.verdict.status is Status.ERROR
    (reason,) = result.verdict.reasons
    assert "cannot be built" in reason
    assert "\n    compiling widgets" in reason
    assert "returned a non-zero code: 3" in reason


def test_a_dockerfile_that_is_none_is_an_error_that_names_it(place: Path) -> None:
    result, _ = grade(place, "FROM gradebox/base\nRNU true\n", '"true"')

    assert result.verdict.status is Status.ERROR
    assert "unknown instruction: RNU" in result.verdict.reasons[0]
    assert str(place / "Dockerfile") in result.verdict.reasons[0]


def test_an_ignored_file_is_neither_copied_nor_a_reason_to_build(place: Path) -> None:
    (place / ".dockerignore").write_text("*.log\n")
    (place / "a.log").write_text("one")
    dockerfile = "FROM gradebox/base\nCOPY . /made/\n"
    first, _ = grade(place, dockerfile, '"! ls /made/a.log"')
    (place / "a.log").write_text("two")
    _, again = grade(place, dockerfile, '"! ls /made/a.log"')

    assert first.verdict.status is Status.PASSED
    assert built(again) == []


def test_a_submission_cannot_change_the_image(place: Path) -> None:
    (place.parent / "work" / "Dockerfile").write_text("FROM gradebox/base\nUSER root\nRUN touch /bent\n")
    result, _ = grade(place, "FROM gradebox/base\n", '"! ls /bent"')

    assert result.verdict.status is Status.PASSED


def test_an_oci_runtime_takes_the_image_from_the_engine(place: Path) -> None:
    if os.geteuid() != 0:
        pytest.fail("oci:// needs root")
    (place / "data.txt").write_text("one")
    result, events = grade(
        place, "FROM gradebox/base\nCOPY data.txt /data.txt\n", "grep one /data.txt", host="oci://runc"
    )

    assert result.verdict.status is Status.PASSED, result.verdict
    assert len(built(events)) == 1


def test_images_are_carried_to_an_engine_without_a_network(
    place: Path, engine: DockerEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    dockerfile = "FROM gradebox/base\nUSER root\nRUN echo made > /made.txt\n"
    first, events = grade(place, dockerfile, "grep made /made.txt")
    file = place.parent / "images.tar"
    assert run(["images", "save", str(file), str(place)]) == ExitCode.PASSED
    *saved, _ = capsys.readouterr().err.splitlines()
    assert any(line.startswith(f"{built(events)[0].image}: ") for line in saved)
    assert engine.images.remove(built(events)[0].image)
    assert run(["images", "load", str(file)]) == ExitCode.PASSED
    assert capsys.readouterr().err.splitlines() == saved
    second, again = grade(place, dockerfile, "grep made /made.txt")

    assert built(again) == []
    assert first.image_id == second.image_id
    assert second.verdict.status is Status.PASSED


def test_an_image_is_built_for_the_platform_of_the_case_alone(place: Path, engine: DockerEngine) -> None:
    ours = engine.images.find("gradebox/base")
    assert ours is not None
    result, events = grade(place, "FROM gradebox/base\n", '"true"', f", platform: {ours.platform}")
    assert result.verdict.status is Status.PASSED, result.verdict
    image = engine.images.find(built(events)[0].image)
    assert image is not None
    assert image.platform == ours.platform
    result, _ = grade(place, "FROM gradebox/base\n", '"true"', ", platform: linux/s390x")
    assert result.verdict.status is Status.ERROR
    assert "s390x" in result.verdict.reasons[0]


def test_here_refuses_the_case_by_name(place: Path) -> None:
    (place / "case.yaml").write_text(CASE.format(command='"true"', more=""))
    (place / "Dockerfile").write_text("FROM gradebox/base\n")
    with Grader(host="here://") as grader:
        result = grader.grade(load_case(place), place.parent / "work")

    assert result.verdict.status is Status.ERROR
    assert "has an image of its own" in result.verdict.reasons[0]
    assert "here:// has no images" in result.verdict.reasons[0]


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_a_run_with_a_limit_of_disk_leaves_no_image_behind(
    place: Path, engine: DockerEngine, capsys: pytest.CaptureFixture[str]
) -> None:
    nonce = (place / "nonce.txt").read_text()
    for number in range(3):
        case = place / str(number)
        case.mkdir()
        (case / "case.yaml").write_text(CASE.format(command=f'"test -e /made{number}"', more=""))
        text = f"FROM gradebox/base\nUSER root\nRUN head -c 30000000 /dev/zero > /made{number} # {nonce}\n"
        (case / "Dockerfile").write_text(text)
    arguments = ["--case", str(place), "-s", str(place.parent / "work"), "--runs", str(place.parent / "runs")]

    assert run([*arguments, "--disk", "200m", "-j", "2"]) == ExitCode.PASSED

    labelled = engine.images.labelled(LABEL_SOURCE)
    assert not [image for image in labelled if image.labels[LABEL_SOURCE].startswith(str(place)) and image.tags]
    assert "images: 3 obtained, 0.1 GB at most at a time" in capsys.readouterr().err


def test_images_are_named_by_their_content(place: Path) -> None:
    _, events = grade(place, "FROM gradebox/base\n", '"true"')

    assert built(events)[0].image.startswith(f"{REPOSITORY}:")


PACKAGES = """\
image: {image}
assertions: [{{name: own, type: code-grader, command: [sh, -c, {script}]}}]
"""


@pytest.mark.thorough
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("image", "script"),
    [
        (
            # Another version than the image has, and what Debian's pip brings for itself.
            "{base: python, apt: [sqlite3], pip: [pytest==8.0.0, setuptools]}",
            """\
            sqlite3 --version && pytest --version 2>&1 | grep 'pytest 8.0.0' && python3 -c '
            import setuptools, importlib.metadata as found
            print([one.version for one in found.distributions() if one.name == "pytest"])' | grep "\\\\['8.0.0'\\\\]" &&
            ! command -v pip && ! ls /build /.removed && [ -z "$(find / -xdev -type f -perm /6000)" ]""",
        ),
        (
            "{base: node, npm: [zod@3.23.8, semver]}",
            """\
            echo 'import { z } from "zod"; z.string().parse("a"); console.log("parsed")' > a.mjs &&
            node a.mjs | grep parsed && node -e 'require("zod")' && semver 1.2.3 && ! command -v npm && ! ls /build""",
        ),
    ],
)
def test_packages_are_there_and_their_managers_are_not(place: Path, image: str, script: str) -> None:
    (place / "case.yaml").write_text(PACKAGES.format(image=image, script=json.dumps(textwrap.dedent(script))))
    with Grader() as grader:
        result = grader.grade(load_case(place), place.parent / "work")

    assert result.verdict.status is Status.PASSED, result.verdict

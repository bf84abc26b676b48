"""A release: it is made as `make release` makes it, and its wheel grades without a compiler and a checkout."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest
from shown_pages import blocks

ROOT = Path(__file__).parents[2]
URL = "https://git.example.org/us/gradebox"
pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]


def call(*command: str | Path, cwd: Path, **environment: str) -> str:
    ended = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a release, of a clone whose last commit has a tag."""
    clone = tmp_path_factory.mktemp("clone") / "gradebox"
    call("git", "clone", "--quiet", ROOT, clone, cwd=ROOT)
    changes = (clone / "CHANGELOG.md").read_text()
    version = re.findall(r"^## (\S+)", changes, re.MULTILINE)[0]
    (clone / "CHANGELOG.md").write_text(
        re.sub(r"^(## \S+) \(unreleased\)", r"\1", changes, count=1, flags=re.MULTILINE)
    )
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    call("git", *who, "commit", "--quiet", "--allow-empty", "--all", "--message", "release", cwd=clone)
    call("git", "tag", f"v{version}", cwd=clone)
    output = call("make", "release", f"URL={URL}", cwd=clone)
    assert "==> two builds have the same bytes\n" in output
    return clone / "dist"


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of programs of an environment that has the wheel."""
    place = tmp_path_factory.mktemp("installed")
    venv.create(place, with_pip=True)
    (wheel,) = dist.glob("*.whl")
    call(place / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, cwd=place)
    return place / "bin"


def test_a_release_has_a_wheel_for_all_platforms_and_digests_of_all_files(dist: Path) -> None:
    (wheel,) = dist.glob("*-py3-none-any.whl")
    (sources,) = dist.glob("*.tar.gz")
    names = {path.name for path in dist.iterdir()}
    assert names > {wheel.name, sources.name, "build-requirements.txt", "SHA256SUMS"}
    sums = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == names - {"SHA256SUMS"}
    assert {name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in sums} == sums
    with zipfile.ZipFile(wheel) as archive:
        programs = {Path(name).name for name in archive.namelist() if "/supervisor/bin/" in name}
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    assert programs == {"supervisor-x86_64", "supervisor-aarch64"}
    assert f"Project-URL: Source, {URL}\n" in metadata
    assert re.findall(r"\]\((?!https?://)", metadata) == []
    with tarfile.open(sources) as archive:
        assert all(not member.linkname.startswith("/") for member in archive)


def test_the_bill_of_materials_lists_what_the_wheel_brings(dist: Path, installed: Path) -> None:
    (bill,) = dist.glob("*.cdx.json")
    document: dict[str, Any] = json.loads(bill.read_text())
    assert (document["bomFormat"], document["metadata"]["component"]["name"]) == ("CycloneDX", "gradebox")
    listed = json.loads(call(installed / "python", "-m", "pip", "list", "--format", "json", cwd=installed))
    # What an environment has before anything is installed.
    there = {each["name"].lower() for each in listed} - {"pip", "setuptools", "gradebox"}
    assert {each["name"].lower() for each in document["components"]} - {"gradebox"} == there


def test_the_wheel_grades_without_a_compiler_and_a_checkout(installed: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "cases", tmp_path / "cases")
    given = {"PATH": str(installed), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": ""}
    assert shutil.which("cc", path=given["PATH"]) is None
    assert call(
        installed / "python", "-c", "import gradebox.graders as g; print(g.__file__)", cwd=tmp_path, **given
    ) == (f"{next(installed.parent.glob('lib/python*'))}/site-packages/gradebox/graders/__init__.py\n")
    # The recipes are those of the checkout to the byte: what that has built is what these would build.
    assert "python: is current" in call(installed / "grade", "images", "build", "python", cwd=tmp_path, **given)
    call(installed / "gradebox", "init", "words", cwd=tmp_path, **given)
    assert call(installed / "grade", "help", "tutorial", cwd=tmp_path, **given).startswith("Tutorial\n")
    checked = call(installed / "grade", "check", "words", "--no-attack", cwd=tmp_path, **given)
    assert "1 case: 1 fair" in checked
    graded = call(installed / "grade", "--case", "cases/add-auth", "--reference", cwd=tmp_path, **given)
    assert "PASSED  add-auth  reference" in graded
    assert not list((tmp_path / "cache").glob("gradebox/supervisor/*"))


def test_the_page_about_installing_installs(dist: Path, tmp_path: Path) -> None:
    """Its first block is pasted into a shell with an empty environment. Only the wheel is not from an index."""
    block = next(iter(blocks(ROOT / "docs/how-to/install.md", "sh")))
    assert block.startswith("pip install gradebox ")
    venv.create(tmp_path / "venv", with_pip=True)
    (wheel,) = dist.glob("*.whl")
    (tmp_path / "constraints.txt").write_text(f"gradebox @ {wheel.as_uri()}\n")
    given = {
        "PATH": f"{tmp_path}/venv/bin:{os.environ['PATH']}",
        "PIP_CONSTRAINT": f"{tmp_path}/constraints.txt",
        "PYTHONPATH": "",
    }
    assert "1 case: 1 proven" in call("bash", "-euc", block, cwd=tmp_path, **given)


def test_sources_build_offline_for_this_machine(dist: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    pip = (tmp_path / "venv/bin/python", "-m", "pip", "--disable-pip-version-check")
    (sources,) = dist.glob("*.tar.gz")
    links = tmp_path / "links"
    call(*pip, "download", "--quiet", "--dest", links, "hatchling", cwd=tmp_path)
    offline = ("--no-index", "--find-links", links, "--no-deps", "--wheel-dir", tmp_path / "wheels")
    said = call(*pip, "wheel", "--verbose", *offline, sources, cwd=tmp_path, GRADEBOX_SUPERVISORS="", PYTHONPATH="")
    assert f"This wheel has the supervisor for {platform.machine()} alone." in said
    (wheel,) = (tmp_path / "wheels").iterdir()
    assert wheel.name.endswith(f"-py3-none-linux_{platform.machine()}.whl")
    with zipfile.ZipFile(wheel) as archive:
        programs = {Path(name).name for name in archive.namelist() if "/supervisor/bin/" in name}
    assert programs == {f"supervisor-{platform.machine()}"}


def test_ready_images_are_current_and_described(tmp_path: Path) -> None:
    """Labels come on top: the image under its name of a registry is still what gradebox would build."""
    prefix = f"localhost/gradebox-test-{os.getpid()}"
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    python = environment / "bin/python"
    call(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "cyclonedx-bom", cwd=tmp_path)
    said = call(python, ROOT / ".ci/ready_images.py", prefix, "python", cwd=tmp_path)
    (reference,) = re.findall(rf"^{prefix}/python:\S+$", said, re.MULTILINE)
    (bill,) = re.findall(r"^  (\S+\.json)$", said, re.MULTILINE)
    try:
        inspect = ("docker", "image", "inspect", "--format", "{{json .Config.Labels}}")
        labels = json.loads(call(*inspect, reference, cwd=tmp_path))
        ours = json.loads(call(*inspect, f"gradebox/python:{reference.rpartition(':')[2]}", cwd=tmp_path))
    finally:
        call("docker", "rmi", reference, cwd=tmp_path)
    assert labels["io.gradebox.inputs"] == ours["io.gradebox.inputs"]
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    found = {each["purl"].partition("@")[0] for each in json.loads((ROOT / bill).read_text())["components"]}
    assert {"pkg:deb/debian/bash", "pkg:deb/debian/python3", "pkg:pypi/pytest"} <= found

"""Make a release of the commit that is checked out: release.py [--url URL] [--output DIRECTORY].

    gradebox-VERSION-py3-none-any.whl    has the supervisor for each architecture, and needs no compiler
    gradebox-VERSION.tar.gz              the sources
    gradebox-VERSION.cdx.json            bill of materials (CycloneDX): what an empty environment gets with the wheel
    build-requirements.txt               what built both: the same versions build the same bytes
    SHA256SUMS                           digests of all files above

The commit must have the tag vVERSION and no changes. Both archives are built twice from it, in two places and without
a common cache of compiled code, and must have the same bytes. Nothing is uploaded.
"""
# ruff: noqa: INP001, S607 - a script; git and tar are found on the PATH

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT_BY = ("build", "hatchling", "ziglang")


class Refused(Exception):
    """The commit is not a release, or what was built of it must not become one."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, examine and describe a release."""
    parser = argparse.ArgumentParser(description="Make a release of the commit that is checked out.")
    parser.add_argument("--url", default="", help="Address of the repository, for the page of a package index.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="A directory, which is emptied.")
    asked = parser.parse_args(arguments)
    try:
        version = checked_version(ROOT)
        with tempfile.TemporaryDirectory() as scratch:
            archives = build_twice(Path(scratch), asked.url)
            examine(archives)
            shutil.rmtree(asked.output, ignore_errors=True)
            asked.output.mkdir(parents=True)
            for archive in archives:
                shutil.copy(archive, asked.output)
            bill = asked.output / f"gradebox-{version}.cdx.json"
            write_bill_of_materials(archives, Path(scratch), bill)
    except Refused as refused:
        sys.exit(f"release: {refused}")
    except subprocess.CalledProcessError as failed:
        sys.exit(f"release: {failed.cmd[0]} ended with exit status {failed.returncode}.")
    tools = "".join(f"{name}=={metadata.version(name)}\n" for name in BUILT_BY)
    (asked.output / "build-requirements.txt").write_text(tools)
    sums = digests(sorted(asked.output.iterdir()))
    (asked.output / "SHA256SUMS").write_text(sums)
    say(f"gradebox {version} in {asked.output}\n{sums}")


def say(text: str) -> None:
    sys.stdout.write(f"==> {text}\n")
    sys.stdout.flush()


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def checked_version(root: Path) -> str:
    """Return the version of a release. Raises Refused if tag, changes, pyproject.toml and CHANGELOG.md disagree."""
    version: str = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if changes := git(root, "status", "--porcelain"):
        raise Refused(f"These files are not as the commit has them:\n{changes}")
    tags = git(root, "tag", "--points-at", "HEAD").split()
    if f"v{version}" not in tags:
        found = f"has {', '.join(tags)}" if tags else "has no tag"
        raise Refused(f"pyproject.toml says {version}, but this commit {found}. git tag v{version}")
    heading = re.search(
        rf"^## {re.escape(version)}(?: (.*))?$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    )
    if heading is None or "unreleased" in (heading[1] or "").lower():
        raise Refused(f"CHANGELOG.md has no section of the released version {version}: ## {version} (DATE)")
    return version


def build_twice(scratch: Path, url: str) -> list[Path]:
    """Return the source distribution and the wheel. Raises Refused if a second build has other bytes."""
    first, second = (build(scratch / name, url) for name in ("first", "the-second"))
    if digests(first) != digests(second):
        raise Refused(f"Two builds have different bytes:\n{digests(first)}{digests(second)}")
    say("two builds have the same bytes")
    return first


def build(place: Path, url: str) -> list[Path]:
    """Build the wheel from the source distribution, and that from the files of the commit."""
    source, built = place / "source", place / "dist"
    source.mkdir(parents=True)
    say(f"building in {place}")
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(source)], input=archive, check=True)
    given = {
        "SOURCE_DATE_EPOCH": git(ROOT, "log", "-1", "--format=%ct"),
        "GRADEBOX_SUPERVISORS": "all",
        "GRADEBOX_URL": url,
        "ZIG_GLOBAL_CACHE_DIR": str(place / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(place / "zig"),
    }
    run("build", "--no-isolation", "--outdir", str(built), str(source), environment=given)
    return sorted(built.iterdir())


def run(module: str, *arguments: str, environment: dict[str, str] | None = None) -> None:
    """Run a tool of this environment. Its output is shown if it fails, and raises CalledProcessError."""
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env=os.environ | (environment or {}),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ended.returncode:
        sys.stderr.write(ended.stdout)
        raise subprocess.CalledProcessError(ended.returncode, [module])


def examine(archives: Sequence[Path]) -> None:
    """Raise Refused if the wheel is not one for all platforms, and CalledProcessError if a tool finds a mistake."""
    wheels = [path.name for path in archives if path.suffix == ".whl"]
    if not wheels[0].endswith("-py3-none-any.whl"):
        raise Refused(f"{wheels[0]} is not a wheel for all platforms.")
    say("twine check, check-wheel-contents")
    run("twine", "check", "--strict", *map(str, archives))
    run("check_wheel_contents", *(str(path) for path in archives if path.suffix == ".whl"))


def write_bill_of_materials(archives: Sequence[Path], scratch: Path, bill: Path) -> None:
    """Describe what an empty environment has after the wheel was installed, by its installed metadata."""
    say("bill of materials")
    environment = scratch / "environment"
    venv.create(environment, with_pip=False)
    python = str(environment / "bin" / "python")
    wheel = next(str(path) for path in archives if path.suffix == ".whl")
    run("pip", "--python", python, "install", "--quiet", "--disable-pip-version-check", "--no-compile", wheel)
    described = ("--pyproject", str(ROOT / "pyproject.toml"), "--mc-type", "application", "--output-reproducible")
    run("cyclonedx_py", "environment", *described, "--spec-version", "1.6", "--output-file", str(bill), python)


def digests(paths: Sequence[Path]) -> str:
    """Return lines that sha256sum -c reads."""
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in paths)


if __name__ == "__main__":
    main()

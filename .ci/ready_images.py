"""Label the images of this checkout for a registry, with a bill of materials each: ready_images.py PREFIX NAME...

For each NAME, such as python, the engine has PREFIX/NAME:VERSION afterwards, and there is a file

    dist/images/NAME-VERSION.cdx.json    CycloneDX: Debian's packages, those of Python and of npm, by installed metadata

The images must be built. The labels that say what they are made of stay, so that `grade` takes such an image as current
under its own name. Programs that no package manager knows, such as Bun's, are in no bill. Nothing is pushed.
"""
# ruff: noqa: INP001, S607 - a script; git and docker are found on the PATH

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import IO
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

ROOT = Path(__file__).resolve().parents[1]
DPKG = "var/lib/dpkg/status"
LICENSE = "Apache-2.0"


def main(arguments: list[str]) -> None:
    """Label and describe images."""
    prefix, *names = arguments
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    directory = ROOT / "dist" / "images"
    directory.mkdir(parents=True, exist_ok=True)
    for name in names:
        reference = f"{prefix}/{name}:{version}"
        label(f"gradebox/{name}:{version}", reference, name, version)
        bill = directory / f"{name}-{version}.cdx.json"
        bill.write_text(bill_of_materials(reference, version, packages(reference)))
        sys.stdout.write(f"{reference}\n  {bill.relative_to(ROOT)}\n  docker push {reference}\n")


def output(*command: str, given: str = "") -> str:
    return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True, text=True, cwd=ROOT).stdout.strip()


def label(source: str, reference: str, name: str, version: str) -> None:
    """Name an image with the labels that registries show. The layers are the same."""
    labels = {
        "title": f"gradebox/{name}",
        "description": f"What gradebox {version} grades in: image {name}",
        "version": version,
        "revision": output("git", "rev-parse", "HEAD"),
        "created": output("git", "log", "-1", "--format=%cI"),
        "licenses": LICENSE,
    }
    lines = "".join(f"LABEL org.opencontainers.image.{key}={json.dumps(value)}\n" for key, value in labels.items())
    output("docker", "build", "--quiet", "--tag", reference, "-", given=f"FROM {source}\n{lines}")


def packages(reference: str) -> set[PackageURL]:
    """Return the packages of an image by the files in which package managers note them."""
    container = output("docker", "create", reference, "true")
    try:
        with subprocess.Popen(["docker", "export", container], stdout=subprocess.PIPE) as exported:
            assert exported.stdout is not None
            with tarfile.open(fileobj=exported.stdout, mode="r|") as archive:
                found = {
                    package
                    for member in archive
                    if member.isfile() and (file := archive.extractfile(member)) is not None
                    for package in noted(member.name, file)
                }
        if exported.returncode:
            raise subprocess.CalledProcessError(exported.returncode, exported.args)
    finally:
        output("docker", "rm", container)
    return found


def noted(path: str, file: IO[bytes]) -> Iterator[PackageURL]:
    """Yield the packages that a file of an image notes."""
    if path == DPKG:
        for paragraph in file.read().decode("utf-8", "replace").split("\n\n"):
            about = HeaderParser().parsestr(paragraph)
            if about["Status"] == "install ok installed":
                yield PackageURL("deb", "debian", about["Package"], about["Version"], {"arch": about["Architecture"]})
    elif re.search(r"\.dist-info/METADATA$", path):
        about = HeaderParser().parsestr(file.read().decode("utf-8", "replace"))
        yield PackageURL("pypi", None, about["Name"], about["Version"])
    elif re.search(r"/node_modules/(@[^/]+/)?[^/]+/package\.json$", path):
        about = json.load(file)
        if "name" in about and "version" in about:
            scope, _, name = about["name"].rpartition("/")
            yield PackageURL("npm", scope or None, name, about["version"])


def bill_of_materials(reference: str, version: str, found: set[PackageURL]) -> str:
    """Return a document of CycloneDX. The same packages give the same text."""
    image = Component(name=reference, version=version, type=ComponentType.CONTAINER, bom_ref=reference)
    bom = Bom(
        serial_number=uuid5(NAMESPACE_URL, f"{reference} {sorted(map(str, found))}"),
        components=[
            Component(name=each.name, group=each.namespace, version=each.version, purl=each, bom_ref=str(each))
            for each in sorted(found, key=str)
        ],
    )
    bom.metadata.component = image
    bom.metadata.properties.add(Property(name="cdx:reproducible", value="true"))
    bom.register_dependency(image, bom.components)
    described = json.loads(JsonV1Dot6(bom).output_as_string())
    # When it was written says nothing of the image.
    described["metadata"].pop("timestamp", None)
    return json.dumps(described, indent=2) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])

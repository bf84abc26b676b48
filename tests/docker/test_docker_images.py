"""Images on a real engine: building, pulling, importing and removing them, and what the built ones hold."""

from __future__ import annotations

import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import shutil
import socket
import tarfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from gradebox.graders.cli.main import run
from gradebox.graders.errors import ExitCode
from gradebox.graders.languages.image_catalogue import image_catalogue
from gradebox.sandbox.engines.docker.docker_engine import DockerEngine
from gradebox.sandbox.engines.docker.docker_images import DockerImages
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images import build as images
from gradebox.sandbox.images import recipes
from gradebox.sandbox.images.recipes import ImageState

here = pytest.mark.skipif(
    not os.environ.get("DOCKER_HOST", "unix://").startswith("unix://"),
    reason="the engine must reach a server of this test on the loopback interface",
)


@pytest.fixture
def client(engine: DockerEngine) -> Any:
    return engine.images.client


@pytest.fixture
def shelf(engine: DockerEngine) -> DockerImages:
    return engine.images


@pytest.fixture
def repository(client: Any) -> Iterator[str]:
    """A name that no other test uses; what is tagged with it is removed afterwards."""
    name = f"gradebox-test-{uuid.uuid4().hex[:12]}"
    yield name
    for image in client.images():
        for tag in image["RepoTags"] or ():
            if name in tag:
                client.remove_image(tag, force=True)


def archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def build(shelf: DockerImages, files: Mapping[str, bytes], *references: str, lines: list[str] | None = None) -> str:
    told = lines if lines is not None else []
    return shelf.build(
        archive(files),
        references,
        arguments={"BASE": "scratch"},
        labels={"io.gradebox.test": "yes"},
        fresh=False,
        on_line=told.append,
    )


def test_an_image_that_is_not_there_is_none(shelf: DockerImages, repository: str) -> None:
    assert shelf.find(f"{repository}:latest") is None
    assert shelf.find("sha256:" + "0" * 64) is None


def test_a_built_image_has_its_names_labels_and_id(shelf: DockerImages, repository: str) -> None:
    lines: list[str] = []
    files = {"Dockerfile": b"ARG BASE\nFROM ${BASE}\nCOPY one /one\n", "one": b"1"}
    image = build(shelf, files, f"{repository}:1", f"{repository}:latest", lines=lines)
    found = shelf.find(f"{repository}:latest")

    assert found is not None
    assert found.id == image
    assert set(found.tags) == {f"{repository}:1", f"{repository}:latest"}
    assert found.labels["io.gradebox.test"] == "yes"
    assert found.created is not None
    assert any("COPY one /one" in line for line in lines)


def test_a_step_that_fails_is_an_error_with_its_reason(shelf: DockerImages, repository: str) -> None:
    with pytest.raises(ImageUnavailable, match="missing"):
        build(shelf, {"Dockerfile": b"FROM scratch\nCOPY missing /\n"}, f"{repository}:1")

    assert shelf.find(f"{repository}:1") is None


def test_a_dockerfile_that_is_none_is_an_error(shelf: DockerImages, repository: str) -> None:
    with pytest.raises(Exception, match="unknown instruction") as raised:
        build(shelf, {"Dockerfile": b"FROM scratch\nHELLO\n"}, f"{repository}:1")

    assert type(raised.value).__module__ == "gradebox.sandbox.errors"


def test_an_imported_archive_is_an_image_with_labels(shelf: DockerImages, repository: str, tmp_path: Path) -> None:
    tar = tmp_path / "root.tar"
    tar.write_bytes(archive({"etc/hello": b"hello"}))
    image = shelf.import_image(tar, f"{repository}:imported", labels={"io.gradebox.test": repository})
    found = shelf.find(f"{repository}:imported")

    assert found is not None
    assert (found.id, found.labels["io.gradebox.test"]) == (image, repository)
    assert image in {stored.id for stored in shelf.labelled("io.gradebox.test")}


def test_removing_says_whether_there_was_something(shelf: DockerImages, repository: str) -> None:
    build(shelf, {"Dockerfile": b"FROM scratch\nLABEL a=b\n"}, f"{repository}:1")

    assert shelf.remove(f"{repository}:1")
    assert not shelf.remove(f"{repository}:1")


def test_a_name_can_go_while_others_stand_on_its_image(shelf: DockerImages, repository: str) -> None:
    build(shelf, {"Dockerfile": b"FROM scratch\nLABEL below=1\n"}, f"{repository}:below")
    above = f"FROM {repository}:below\nLABEL above=1\n".encode()
    build(shelf, {"Dockerfile": above}, f"{repository}:above")

    assert shelf.remove(f"{repository}:below")
    assert shelf.find(f"{repository}:below") is None
    assert shelf.find(f"{repository}:above") is not None


class Registry(http.server.BaseHTTPRequestHandler):
    """Just enough of a registry to hold one image of one layer, under any name."""

    protocol_version = "HTTP/1.1"
    layer = gzip.compress(archive({"etc/hello": uuid.uuid4().bytes}))
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(gzip.decompress(layer)).hexdigest()}"]},
        }
    ).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
            "config": {
                "mediaType": "application/vnd.docker.container.image.v1+json",
                "size": len(config),
                "digest": f"sha256:{hashlib.sha256(config).hexdigest()}",
            },
            "layers": [
                {
                    "mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip",
                    "size": len(layer),
                    "digest": f"sha256:{hashlib.sha256(layer).hexdigest()}",
                }
            ],
        }
    ).encode()

    def do_GET(self) -> None:
        blobs = {f"sha256:{hashlib.sha256(blob).hexdigest()}": blob for blob in (self.config, self.layer)}
        name = self.path.rpartition("/")[2]
        if "/manifests/missing" in self.path:
            self.answer(404, "application/json", b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"unknown"}]}')
        elif "/manifests/" in self.path:
            self.answer(200, "application/vnd.docker.distribution.manifest.v2+json", self.manifest)
        else:
            self.answer(200, "application/octet-stream", blobs.get(name, b"{}"))

    do_HEAD = do_GET  # noqa: N815 - the server's name for it

    def answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 200:
            self.send_header("Docker-Content-Digest", f"sha256:{hashlib.sha256(body).hexdigest()}")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def registry() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@here
def test_a_registry_that_answers_gives_the_image(shelf: DockerImages, repository: str, registry: str) -> None:
    lines: list[str] = []
    reference = f"{registry}/{repository}:1"

    assert shelf.pull(reference, patience_seconds=10, on_line=lines.append) is None
    assert shelf.find(reference) is not None
    assert any("Pulling from" in line for line in lines)


@here
def test_a_registry_without_the_image_says_so(shelf: DockerImages, repository: str, registry: str) -> None:
    reason = shelf.pull(f"{registry}/{repository}:missing", patience_seconds=10, on_line=print)

    assert reason is not None
    assert "not found" in reason or "unknown" in reason


class Limited(Registry):
    """A registry that wants a password, and limits requests."""

    refusals = 2
    wanted = "Basic " + base64.b64encode(b"ann:secret").decode()

    def do_GET(self) -> None:
        cls = type(self)
        if self.headers.get("Authorization") != self.wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="test"')
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif "/manifests/" in self.path and cls.refusals:
            cls.refusals -= 1
            self.answer(429, "application/json", b'{"errors":[{"code":"TOOMANYREQUESTS","message":"slow down"}]}')
        else:
            super().do_GET()

    do_HEAD = do_GET  # noqa: N815 - the server's name for it


@here
def test_a_registry_gets_the_docker_commands_credentials_and_is_asked_again_when_it_limits_requests(
    shelf: DockerImages, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "case").mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Limited) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        address = f"127.0.0.1:{server.server_port}"
        # Without a tag, as most people write it.
        (tmp_path / "case" / "case.yaml").write_text(
            f'image: {address}/{repository}\nassertions: [{{type: code-grader, command: "true"}}]\n'
        )
        command = ["images", "warm", str(tmp_path / "case")]
        try:
            refused = run(command)
            token = base64.b64encode(b"ann:secret").decode()
            (tmp_path / "config.json").write_text(json.dumps({"auths": {address: {"auth": token}}}))
            monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
            had = run(command)
        finally:
            server.shutdown()
            thread.join()

    assert (refused, had) == (ExitCode.NOT_GRADED, ExitCode.PASSED)
    assert Limited.refusals == 0
    assert shelf.find(f"{address}/{repository}:latest") is not None


@here
def test_a_registry_that_says_nothing_is_given_up(shelf: DockerImages, repository: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        reference = f"127.0.0.1:{silent.getsockname()[1]}/{repository}:1"

        assert shelf.pull(reference, patience_seconds=1, on_line=print) == "it did not answer within 1 seconds"


def test_two_who_build_the_same_image_at_once_both_get_it(
    engine: DockerEngine, shelf: DockerImages, repository: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two checkouts know nothing of each other's locks: both build, and both results can be used."""
    monkeypatch.setattr(recipes, "REPOSITORY", repository)
    tar = tmp_path / "root.tar"
    tar.write_bytes(archive({"etc/hello": repository.encode()}))
    shelf.import_image(tar, f"{repository}/debian:bookworm", labels={})
    checkouts = []
    for name in ("one", "two"):
        directory = tmp_path / name
        shutil.copytree(recipes.find_images_directory(), directory)
        (directory / "base" / "Dockerfile").write_text("ARG BASE\nFROM ${BASE}\nCOPY install-packages /\n")
        checkouts.append(directory)
    ours = threading.local()
    monkeypatch.setattr(images, "find_images_directory", lambda: ours.directory)
    both = threading.Barrier(2)

    def one(directory: Path) -> images.BuiltImage:
        ours.directory = directory
        both.wait(10)
        return images.build(["base"], engine.images, image_catalogue())[0]

    with ThreadPoolExecutor(2) as pool:
        built = list(pool.map(one, checkouts))

    assert all(shelf.find(image.image_id) is not None for image in built)
    ours.directory = checkouts[0]
    assert images.list_built(shelf, image_catalogue())[0].state is ImageState.CURRENT


PROGRAMS = {
    "base": "bash -c 'diff /etc/passwd /etc/passwd && find /workspace | grep -q workspace'",
    "python": "python -c 'import sqlite3, ssl' && echo 'def test(): pass' > test_it.py && pytest -q test_it.py",
    "node": "node -e 'if (process.version < \"v18\") process.exit(1)'",
    "bun": 'echo \'import {test} from "bun:test"; test("t", (): void => {})\' > it.test.ts && bun test ./it.test.ts',
    # What gradebox runs there is compiled already.
    "julia": "julia -e 'using Test, Random, Statistics; @test length(Main.GradeboxPrograms.PROGRAMS) == 6'",
}


@pytest.mark.parametrize("name", image_catalogue().usual)
def test_an_image_works_the_way_sandboxes_use_it(client: Any, name: str) -> None:
    """Read-only root, no network, no capability, the last of the accounts, and its tools run."""
    script = f"""
        set -eu
        test "$(id -un):$(id -gn)" = candidate4095:candidate4095
        test "$(grep -c '^candidate[0-9]*:' /etc/passwd)" = 4096
        test -z "$(find / -xdev -type f -perm /6000 2> /dev/null)"
        ! touch /usr/bin/mine 2> /dev/null
        {PROGRAMS[name]}
    """
    host = client.create_host_config(
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        tmpfs={"/tmp": "mode=1777", "/workspace": "mode=1777"},
    )
    container = client.create_container(
        recipes.reference(name),
        ["sh", "-c", script],
        user="14095:14095",
        environment={"HOME": "/tmp/home", "PATH": "/usr/local/bin:/usr/bin:/bin"},
        host_config=host,
    )["Id"]
    try:
        client.start(container)
        status = client.wait(container, timeout=120)["StatusCode"]
        assert status == 0, client.logs(container).decode()
    finally:
        client.remove_container(container, force=True)


@pytest.mark.parametrize("name", image_catalogue().usual)
def test_an_image_runs_unprivileged_unless_told_otherwise(client: Any, name: str) -> None:
    config = client.inspect_image(recipes.reference(name))["Config"]

    assert config["User"] == "candidate0"
    assert not config.get("Entrypoint")
    assert config["Labels"]["io.gradebox.image"] == name

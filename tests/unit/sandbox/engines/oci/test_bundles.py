"""The directories of sandboxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradebox.sandbox.engines.oci import bundles
from gradebox.sandbox.errors import NameTaken


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bundles, "STATE", tmp_path / "gradebox/oci")
    return tmp_path / "gradebox/oci"


def record(name: str | None = None) -> dict[str, object]:
    return {"labels": {"a": "b"}, "image": "sha256:1", "name": name}


def test_a_sandbox_has_its_configuration_and_record(state: Path) -> None:
    bundles.make("one", record(), {"root": "/"})
    assert json.loads((bundles.path("one") / "config.json").read_text()) == {"root": "/"}
    assert (bundles.path("one") / "rootfs").is_dir()
    assert [(name, found["labels"]) for name, found, _ in bundles.records()] == [("one", {"a": "b"})]
    assert {path.stat().st_mode & 0o777 for path in (state.parent, state, state / "sandboxes")} == {0o700}


def test_a_sandbox_has_a_hosts_file_if_it_needs_one(state: Path) -> None:
    del state
    bundles.make("one", record(), {}, b"127.0.0.1 db\n")
    bundles.make("two", record(), {})
    assert (bundles.path("one") / bundles.HOSTS).read_bytes() == b"127.0.0.1 db\n"
    assert not (bundles.path("two") / bundles.HOSTS).exists()


def test_a_name_belongs_to_one_sandbox() -> None:
    bundles.make("one", record("users"), {})
    with pytest.raises(NameTaken, match="users"):
        bundles.make("two", record("users"), {})
    assert [name for name, _, _ in bundles.records()] == ["one"]
    bundles.remove("two")
    with pytest.raises(NameTaken):
        bundles.make("two", record("users"), {})
    bundles.remove("one")
    bundles.make("two", record("users"), {})


def test_a_directory_that_is_damaged_can_be_removed() -> None:
    bundles.make("one", record("users"), {})
    (bundles.path("one") / "record.json").write_text("[")
    assert [(name, found) for name, found, _ in bundles.records()] == [("one", {})]
    bundles.remove("one")
    bundles.remove("one")
    assert not list(bundles.records())

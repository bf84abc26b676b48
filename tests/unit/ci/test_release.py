"""What a release is made of: which commit may be one, the page of an index, and what a build compiles.

A whole release is made in tests/cli/test_installed.py.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gradebox.sandbox import supervisor_build

ROOT = Path(__file__).parents[3]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RELEASE, METADATA, BUILD = script("release"), script("hatch_metadata"), script("hatch_build")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.0 (2026-01-31)\n\n## 1.1.0\n")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "change")


def test_a_tagged_commit_without_changes_is_a_release(repository: Path) -> None:
    git(repository, "tag", "v1.2.0")
    assert RELEASE.checked_version(repository) == "1.2.0"


def test_the_tag_has_the_version_of_the_package(repository: Path) -> None:
    with pytest.raises(RELEASE.Refused, match=r"1\.2\.0, but this commit has no tag\. git tag v1\.2\.0"):
        RELEASE.checked_version(repository)
    git(repository, "tag", "v1.3.0")
    with pytest.raises(RELEASE.Refused, match=r"1\.2\.0, but this commit has v1\.3\.0"):
        RELEASE.checked_version(repository)


def test_files_that_no_commit_has_are_no_release(repository: Path) -> None:
    git(repository, "tag", "v1.2.0")
    (repository / "added.py").touch()
    with pytest.raises(RELEASE.Refused, match=r"added\.py"):
        RELEASE.checked_version(repository)


@pytest.mark.parametrize("heading", ["## 1.2.0 (unreleased)", "## 1.2.0.1", "## 11.2.0"])
def test_the_changes_name_the_release(repository: Path, heading: str) -> None:
    (repository / "CHANGELOG.md").write_text(f"{heading}\n")
    commit(repository)
    git(repository, "tag", "v1.2.0")
    with pytest.raises(RELEASE.Refused, match=r"no section of the released version 1\.2\.0"):
        RELEASE.checked_version(repository)


def test_two_builds_with_other_bytes_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def build(place: Path, url: str) -> list[Path]:
        place.mkdir()
        (place / "x.whl").write_text(f"{place.name if url else ''}\n")
        return [place / "x.whl"]

    monkeypatch.setattr(RELEASE, "build", build)
    (tmp_path / "same").mkdir()
    assert [path.name for path in RELEASE.build_twice(tmp_path / "same", "")] == ["x.whl"]
    with pytest.raises(RELEASE.Refused, match="different bytes"):
        RELEASE.build_twice(tmp_path, "https://git.example.org")


def test_a_wheel_for_one_platform_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(RELEASE.Refused, match="not a wheel for all platforms"):
        RELEASE.examine([tmp_path / "gradebox-1.2.0-py3-none-linux_x86_64.whl"])


def test_the_links_of_the_page_lead_to_files_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADEBOX_URL", "https://git.example.org/us/gradebox/")
    metadata: dict[str, Any] = {"version": "1.2.0"}
    METADATA.IndexPageHook(str(ROOT), {}).update(metadata)
    assert set(metadata["urls"]) == {"Homepage", "Documentation", "Changes", "Security", "Source"}
    page = metadata["readme"]["text"]
    assert "(https://git.example.org/us/gradebox/blob/v1.2.0/docs/tutorial.md)" in page
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if "://" not in link] == []


def test_without_an_address_links_are_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRADEBOX_URL", raising=False)
    metadata: dict[str, Any] = {"version": "1.2.0"}
    METADATA.IndexPageHook(str(ROOT), {}).update(metadata)
    assert "urls" not in metadata
    assert re.findall(r"\]\(([^)]*)\)", metadata["readme"]["text"]) == []
    assert "the tutorial" in metadata["readme"]["text"]


def test_a_picture_is_loaded_from_where_it_lies_or_left_out() -> None:
    text = "![what one sees](docs/a.png) [more](docs/b.md)"
    assert METADATA.with_links(text, "https://g.example/us/it/blob/v1") == (
        "![what one sees](https://g.example/us/it/raw/v1/docs/a.png) [more](https://g.example/us/it/blob/v1/docs/b.md)"
    )
    assert METADATA.with_links(text, "") == " more"


def test_links_keep_their_place_in_a_page_and_code_stays_as_it_is() -> None:
    text = "a [b](c.md#d) [e](https://f.example)\n```sh\ng [h](i)\n```\n"
    assert METADATA.with_links(text, "https://x") == text.replace("(c.md#d)", "(https://x/c.md#d)")


def test_an_address_that_is_none_of_the_web_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADEBOX_URL", "git@git.example.org:us/gradebox")
    with pytest.raises(ValueError, match="GRADEBOX_URL is the address of a page"):
        METADATA.IndexPageHook(str(ROOT), {}).update({"version": "1.2.0"})


@pytest.mark.parametrize(
    ("chosen", "ziglang", "works", "needed"),
    [
        ("", True, True, ["ziglang>=0.13"]),
        ("", False, True, []),
        ("", False, False, ["ziglang>=0.13"]),
        ("own", True, True, []),
        ("all", False, True, ["ziglang>=0.13"]),
    ],
)
def test_a_build_needs_ziglang_only_where_cc_does_not_do(
    monkeypatch: pytest.MonkeyPatch, chosen: str, ziglang: bool, works: bool, needed: list[str]
) -> None:
    monkeypatch.setenv("GRADEBOX_SUPERVISORS", chosen)
    monkeypatch.setattr(BUILD, "has_ziglang", lambda: ziglang)
    monkeypatch.setattr(supervisor_build, "own_compiler_works", lambda: works)
    assert hook().dependencies() == needed


def test_an_unknown_choice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADEBOX_SUPERVISORS", "some")
    with pytest.raises(ValueError, match="all or own, not some"):
        hook().dependencies()


def test_a_wheel_with_one_supervisor_is_for_one_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GRADEBOX_SUPERVISORS", "own")
    monkeypatch.setattr(supervisor_build, "build_own", lambda _: tmp_path / "supervisor-aarch64")
    data: dict[str, Any] = {"force_include": {}, "pure_python": True}
    hook().initialize("standard", data)
    assert (data["tag"], data["pure_python"]) == ("py3-none-linux_aarch64", False)
    assert set(data["force_include"].values()) == {
        "gradebox/sandbox/supervisor/bin/supervisor-aarch64",
        "gradebox/_docs/_pages.yml",
    }


def hook() -> Any:
    return BUILD.SupervisorBuildHook(str(ROOT), {}, None, None, "", "wheel")

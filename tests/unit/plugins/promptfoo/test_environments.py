"""Image, workspace, setup and hooks, as AgentV 5 says them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from promptfoo_files import SUITE, cases, loaded, said

from gradebox.sandbox.limits import MIB


def case_of(root: Path, **fields: Any) -> Any:
    (case,) = cases(root, {"prompts": ["p"], "tests": [{"assert": ["w"]}], **fields}, SUITE)
    return case


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "env").mkdir()
    return tmp_path


def test_an_image_and_its_limits(root: Path) -> None:
    recipe = {
        "type": "docker",
        "image": "python:3.12",
        "workdir": "/workspace",
        "mounts": [{"source": "./app", "target": "/workspace"}],
        "resources": {"memory": "512m", "cpus": 2},
        "env": {"A": "1"},
        "setup": {"command": ["make", "ready"], "cwd": "/workspace/sub", "timeout_ms": 5000},
    }
    case = case_of(root, environment=recipe)
    assert (case.image, case.workspace, case.env) == ("python:3.12", root / "app", {"A": "1"})
    assert (case.limits.memory_bytes, case.limits.cpus) == (512 * MIB, 2)
    (setup,) = case.setup
    assert (setup.argv, setup.cwd, setup.timeout_seconds) == (("make", "ready"), "sub", 5.0)


def test_a_directory_of_the_host_is_the_workspace_also_from_a_file(root: Path) -> None:
    assert case_of(root, environment={"type": "host", "workdir": "./app"}).workspace == root / "app"
    (root / "env" / "host.yaml").write_text("type: host\nworkdir: ../app\n")
    assert case_of(root, environment="file://env/host.yaml").workspace == root / "app"
    # A setup makes it.
    made = {"type": "host", "workdir": "made", "setup": {"command": ["sh", "-c", "true"]}}
    assert case_of(root, environment=made).workspace is None


def test_the_environment_of_a_test_is_laid_over_that_of_the_file(root: Path) -> None:
    tests = [{"assert": ["w"], "environment": {"type": "docker", "image": "own", "workdir": "/workspace"}}]
    shared = {"type": "docker", "image": "shared", "workdir": "/workspace", "env": {"A": "1"}}
    case = case_of(root, environment=shared, tests=tests)
    assert (case.image, case.env) == ("own", {"A": "1"})


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"type": "docker", "workdir": "/w", "context": "."}, "names no `image`, and gradebox builds none"),
        ({"type": "host", "workdir": "gone"}, "the directory"),
        ({"type": "vm"}, "`type` must be `host` or `docker`"),
        ({"type": "host", "workdri": "app"}, "unknown key `workdri` of an environment"),
        ({"type": "host", "workdir": "app", "setup": {"cmd": ["x"]}}, "unknown key `cmd` of a setup"),
        ("file://gone.yaml", "of the environment does not exist"),
    ],
    ids=str,
)
def test_a_mistake_is_reported(environment: Any, message: str, root: Path) -> None:
    found = loaded(root, {"prompts": ["p"], "environment": environment, "tests": [{"assert": ["w"]}]}, SUITE)
    assert message in said(found)
    assert found.errors


def test_what_a_sandbox_does_not_have_is_said(root: Path) -> None:
    recipe = {
        "type": "docker",
        "image": "i",
        "workdir": "/app",
        "secrets": {"K": "k"},
        "mounts": [{"source": "a", "target": "/b"}],
    }
    words = said(loaded(root, {"prompts": ["p"], "environment": recipe, "tests": [{"assert": ["w"]}]}, SUITE))
    assert "secrets never reach a sandbox" in words
    assert "`a` is not mounted at `/b`" in words
    assert "the workspace lies at /workspace, not at `/app`" in words


def test_functions_of_modules_are_hooks(root: Path) -> None:
    (root / "setup.mjs").write_text("export const beforeAll = () => {};\n")
    listed = [
        "file://setup.mjs:beforeAll",
        "file://setup.mjs:afterEach",
        "agentv:agent-rules",
        "file://x.js:extensionHook",
    ]
    found = loaded(root, {"prompts": ["p"], "extensions": listed, "tests": [{"assert": ["w"]}]}, SUITE)
    (case,) = found.cases
    hooks = {hook.when: hook.command.argv for hook in case.hooks}
    assert {when: (argv[0], argv[-2:]) for when, argv in hooks.items()} == {
        "before_all": ("bun", ("setup.mjs", "beforeAll")),
        "after_each": ("bun", ("setup.mjs", "afterEach")),
    }
    assert said(found).count("is not run: it is about how answers are made") == 2
    gone = loaded(root, {"prompts": ["p"], "extensions": ["file://gone.mjs:beforeAll"], "tests": [{"assert": ["w"]}]})
    assert "the file `gone.mjs` of the extension does not exist" in said(gone)

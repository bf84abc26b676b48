"""`gradebox` is all that is installed: it has what `graders` exports and a version, and takes no time to import."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

import gradebox
from gradebox import graders

ROOT = Path(__file__).parents[2]
ROOMS = ("graders", "plugins", "sandbox")


def test_everything_that_graders_exports_is_public() -> None:
    assert set(gradebox.__all__) == {*graders.__all__, "__version__"}
    assert {name: getattr(gradebox, name) for name in graders.__all__} == {
        name: getattr(graders, name) for name in graders.__all__
    }
    assert set(dir(gradebox)) == set(gradebox.__all__)


def test_what_it_raises_is_public() -> None:
    assert issubclass(gradebox.EngineUnavailable, gradebox.SandboxError)
    for refused in (gradebox.CaseRefused, gradebox.SubmissionRefused, gradebox.UsageRefused):
        assert issubclass(refused, gradebox.GraderError)


def test_the_version_is_the_installed_one() -> None:
    assert gradebox.__version__ == version("gradebox")


def test_anything_else_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'gradebox' has no attribute 'nothing'"):
        _ = gradebox.nothing


def test_importing_it_imports_no_library() -> None:
    program = "import gradebox, sys; print(*sorted({'pydantic', 'docker', 'yaml', 'rich', 'typer'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(ROOT / ".ci" / "package")},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel without the supervisor's binaries, which take minutes to compile."""
    directory = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)]
    subprocess.run(words, cwd=ROOT, env={**os.environ, "HATCH_BUILD_NO_HOOKS": "true"}, check=True, capture_output=True)
    (built,) = directory.glob("*.whl")
    return built


def test_a_wheel_holds_one_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"gradebox"}
    sources = {path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    assert {f"gradebox/{path}" for path in sources} <= {*names}
    assert "gradebox/sandbox/_images/base/Dockerfile" in names


def test_a_user_may_have_modules_named_like_its_parts(wheel: Path, tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    for name in ("sandbox/__init__.py", "graders.py", "images/__init__.py", "plugins.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("MINE = True\n", "utf-8")
    program = (
        "import graders, images, plugins, sandbox\n"
        "assert graders.MINE and images.MINE and plugins.MINE and sandbox.MINE\n"
        "from gradebox import Grader\nfrom gradebox.graders.cli.main import run\nrun(['--version'])\n"
        "from gradebox.sandbox.images.recipes import find_images_directory\nprint(find_images_directory())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [f"grade {version('gradebox')}", str(installed / "gradebox/sandbox/_images")]


def test_no_module_is_imported_under_two_names() -> None:
    found = {name: getattr(module, "__file__", None) or "" for name, module in [*sys.modules.items()]}
    rooms = tuple(f"{ROOT / room}{os.sep}" for room in ROOMS)
    own = {name for name, file in found.items() if os.path.realpath(file).startswith(rooms)}
    assert own
    assert {name for name in own if not name.startswith("gradebox.")} == set()

"""Sandboxes that an OCI runtime starts without a daemon. DOCKER_HOST=oci://runc runs other tests there, too."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from gradebox.sandbox import owner, reaper
from gradebox.sandbox.archive import file_entry
from gradebox.sandbox.engines.engine import Leftover
from gradebox.sandbox.engines.oci import control_groups, roots
from gradebox.sandbox.engines.oci.oci_engine import OciEngine
from gradebox.sandbox.errors import NameTaken, SandboxLost
from gradebox.sandbox.images.recipes import reference
from gradebox.sandbox.limits import MIB, Limits
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, Ending, SandboxSpec

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("runc", path=f"{os.environ['PATH']}:/usr/sbin") is None,
    reason="needs root, and runc on this machine",
)
SPEC = SandboxSpec(reference("base"), Limits(memory_bytes=32 * MIB, disk_bytes=128 * MIB))
PATIENCE_SECONDS = 60.0
# A client that says which sandbox it has, and is killed while a command runs.
CLIENT = f"""
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec
engine = connect("oci://runc")
with Sandbox(engine, SandboxSpec({SPEC.image!r})) as sandbox:
    print(*(found.id for found in engine.leftovers() if found.labels.get("io.gradebox.session") == engine.session))
    import sys; sys.stdout.flush()
    sandbox.run(Command(("sleep", "300"), env=sandbox.env, cwd="/"))
"""

FEW_FILES = """
from gradebox.sandbox.engines.connect import connect
from gradebox.sandbox.session import Sandbox
from gradebox.sandbox.types import Command, SandboxSpec
engine = connect("oci://{runtime}")
with Sandbox(engine, SandboxSpec({image!r})) as sandbox:
    print(sandbox.run(Command(("sh", "-c", "ulimit -n"), env=sandbox.env, cwd="/")).stdout.text(), end="")
engine.close()
"""


def _is_here(runtime: str) -> bool:
    return shutil.which(runtime, path=f"{os.environ['PATH']}:/usr/sbin") is not None


@pytest.fixture(
    scope="module",
    params=[
        "runc",
        pytest.param("crun", marks=pytest.mark.skipif(not _is_here("crun"), reason="`.ci/crun.sh` says why")),
    ],
)
def oci(request: pytest.FixtureRequest) -> Iterator[OciEngine]:
    engine = OciEngine(request.param)
    yield engine
    left = mine(engine)
    engine.close()
    assert not left


def mine(engine: OciEngine) -> list[Leftover]:
    return [found for found in engine.leftovers() if found.labels.get(owner.LABEL_SESSION) == engine.session]


def test_a_sandbox_lacks_nothing_and_leaves_nothing(oci: OciEngine) -> None:
    with Sandbox(oci, SPEC) as sandbox:
        assert sandbox.gaps == ()
        assert sandbox.guarantees.seccomp
        assert sandbox.run(Command(("sh", "-c", "exit 7"), env=sandbox.env, cwd="/")).exit_code == 7
        (found,) = mine(oci)
        assert found.running
        assert reaper.orphaned(found, time.time()) is False
        assert len(control_groups.members(found.id)) >= 1
    assert mine(oci) == []
    assert not list(control_groups.MOUNT.glob(f"**/{found.id}"))


def test_nobody_writes_beside_the_control_groups(oci: OciEngine) -> None:
    script = "ls /sys/fs/cgroup; find /sys/fs/cgroup -maxdepth 1 -type d -exec mkdir '{}/planted' ';'"
    with Sandbox(oci, SPEC) as sandbox:
        outcome = sandbox.run(Command(("sh", "-c", script), env=sandbox.env, cwd="/"))
        found = sandbox.run(Command(("find", "/sys/fs/cgroup", "-name", "planted"), env=sandbox.env, cwd="/"))
    assert outcome.stdout.text().split()
    assert "cannot create directory" in outcome.stderr.text()
    assert found.stdout.text() == ""


def test_a_name_belongs_to_one_sandbox(oci: OciEngine) -> None:
    image = oci.image(SPEC.image)
    first = oci.create(SPEC, image, "gradebox-test-name")
    with pytest.raises(NameTaken):
        oci.create(SPEC, image, "gradebox-test-name")
    oci.remove(first)
    oci.remove(oci.create(SPEC, image, "gradebox-test-name"))


def test_files_that_take_all_memory_are_told_from_a_kill(oci: OciEngine) -> None:
    with Sandbox(oci, SPEC) as sandbox:
        outcome = sandbox.run(Command(("sh", "-c", "head -c 100M /dev/zero > /tmp/x"), env=sandbox.env, cwd="/"))
        assert outcome.ending is Ending.OUT_OF_MEMORY
    with Sandbox(oci, SPEC) as sandbox:
        with pytest.raises(SandboxLost):
            sandbox.put([file_entry("large", bytes(64 * MIB))])
        assert sandbox.used_up
    with Sandbox(oci, SPEC) as sandbox:
        # By somebody else: we have not asked for it.
        oci.kill(mine(oci)[0].id)
        with pytest.raises(SandboxLost):
            sandbox.snapshot()
        assert not sandbox.used_up


def test_a_damaged_supervisor_is_replaced(oci: OciEngine) -> None:
    program = roots.layer(oci.info().architecture) / ".gradebox/volume/supervisor"
    # Others may be running it.
    program.unlink()
    program.write_bytes(b"\x7fELF broken")
    with Sandbox(oci, SPEC) as sandbox:
        assert sandbox.gaps == ()


def test_nothing_is_left_of_a_client_that_was_killed(oci: OciEngine) -> None:
    with subprocess.Popen([sys.executable, "-c", CLIENT], stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout is not None
        container = client.stdout.readline().strip()
        assert control_groups.members(container)
        client.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while control_groups.members(container) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not control_groups.members(container)
    # Another run may reap at the same time.
    reaper.reap(oci)
    assert container not in {found.id for found in oci.leftovers()}
    assert not list(control_groups.MOUNT.glob(f"**/{container}"))


def test_it_grades_where_a_process_may_open_few_files(oci: OciEngine) -> None:
    """A runtime gives no sandbox a higher limit than it has, and may not be allowed to raise its own."""
    line = 'ulimit -n 256; exec "$@"'
    client = FEW_FILES.format(runtime=oci.info().default_runtime, image=SPEC.image)
    words = ("setpriv", "--bounding-set", "-sys_resource", "sh", "-c", line, "sh", sys.executable, "-c", client)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "256\n"), done.stderr

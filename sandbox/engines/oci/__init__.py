"""An OCI runtime of this machine as an `Engine`: sandboxes without a daemon (``oci://runc``).

`oci_engine` implements the interface. `runtime_config` translates the Docker Engine's request, with every restriction
of a sandbox, for a runtime. `roots` keeps the root filesystems of a Docker Engine's images. `control_groups` reads,
kills and removes the control groups of sandboxes, including those of crashed runs.
"""

from __future__ import annotations

import os

from gradebox.sandbox.engines.engine import Engine

SCHEMES = frozenset({"oci"})


def connect(url: str | None, timeout_seconds: int) -> Engine:
    """Return the engine of ``oci://RUNTIME``; ``oci`` alone stands for the first known runtime that is installed.

    Without an address, it is that of DOCKER_HOST.
    """
    # Every engine is imported to learn its schemes; only the chosen one loads more.
    from gradebox.sandbox.engines.oci.oci_engine import OciEngine  # noqa: PLC0415

    address = url or os.environ.get("DOCKER_HOST", "")
    return OciEngine(address.partition("://")[2].strip("/"), timeout_seconds=timeout_seconds)

"""The first layer of the images: pulled from a registry, or made on this machine from a Debian release's packages.

One pull per run shows whether a registry answers. `mmdebstrap` writes the root filesystem to a temporary archive, which
is imported only when it is complete.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections import deque
from pathlib import Path

from gradebox.sandbox.engines.engine import Images, OnLine
from gradebox.sandbox.errors import ImageUnavailable
from gradebox.sandbox.images.recipes import LABEL_ROOT, Root

PATIENCE_SECONDS = 10.0

_MERGED_USR = Path("/usr/share/mmdebstrap/hooks/merged-usr")

_OPTIONS = (
    "--variant=minbase",
    '--aptopt=Apt::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    # A release past its end of life is still signed, but its package lists have expired.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    # After a crash the root is made again, so no file needs to be synced to disk.
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
    "--dpkgopt=path-exclude=/usr/share/info/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    # mmdebstrap copies this machine's files; the engine provides the container's.
    '--customize-hook=rm -f "$1/etc/hostname" "$1/etc/resolv.conf"',
)


class Roots:
    """Finds or makes the first layers that one run needs.

    Args:
        engine: The images of the engine that needs the layers.
        fresh: Whether to pull or make the layers again even if the engine has them.
    """

    def __init__(self, engine: Images, *, fresh: bool = False) -> None:
        self._engine = engine
        self._fresh = fresh
        self._refusal: str | None = None

    def obtain(self, root: Root, on_line: OnLine) -> str:
        """Return the name of an image on the engine that holds `root`.

        Raises:
            ImageUnavailable: If no registry provides it and this machine cannot make it.
        """
        if not self._fresh:
            for reference in (root.registry, root.imported):
                if self._engine.find(reference):
                    return reference
        refusal = self._pull(root, on_line)
        if refusal is None:
            return root.registry
        on_line(f"{refusal} Making Debian {root.release} from its packages instead.")
        with tempfile.TemporaryDirectory(prefix="gradebox-") as scratch:
            tar = Path(scratch, "root.tar")
            bootstrap(root.release, tar, on_line, why=refusal)
            on_line(f"Importing it as {root.imported}")
            self._engine.import_image(tar, root.imported, labels={LABEL_ROOT: root.release})
        return root.imported

    def _pull(self, root: Root, on_line: OnLine) -> str | None:
        """Pull the registry's image; return None, or a sentence with the reason of the failure."""
        if self._refusal is None:
            on_line(f"Pulling {root.registry} from a registry")
            reason = self._engine.pull(root.registry, patience_seconds=PATIENCE_SECONDS, on_line=on_line)
            if reason is None:
                return None
            # A registry that failed once is not tried again in this run.
            self._refusal = f"No registry provides {root.registry}: {reason.rstrip('.')}."
        return self._refusal


def bootstrap(release: str, tar: Path, on_line: OnLine, *, why: str) -> None:
    """Write the root filesystem of a minimal Debian to `tar`.

    Args:
        release: The release's code name.
        tar: The archive to write.
        on_line: Receives the progress.
        why: A sentence that says why no registry provides the image, for the error.

    Raises:
        ImageUnavailable: If mmdebstrap is missing or fails.
    """
    if shutil.which("mmdebstrap") is None:
        raise ImageUnavailable(
            f"{why} Debian {release} cannot be made on this machine either: mmdebstrap is not installed.",
            remedy="Install it (apt-get install mmdebstrap), or let the engine reach a registry.",
        )
    words = ["mmdebstrap", *_OPTIONS]
    # From bookworm on, /bin and /lib are links into /usr. This hook makes them without a package that needs Perl.
    if release != "bullseye" and (_MERGED_USR / "essential00.sh").exists():
        words.append(f"--hook-dir={_MERGED_USR}")
    last: deque[str] = deque(maxlen=5)
    with subprocess.Popen(
        [*words, release, str(tar)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C"},
        text=True,
        errors="replace",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if match := re.match(r"([IWE]): (.*)", line):
                    last.append(match[2].strip())
                    on_line(match[2].strip())
        except BaseException:
            # When terminated, mmdebstrap unmounts and removes what it made.
            process.terminate()
            raise
    if process.returncode != 0:
        raise ImageUnavailable(
            f"mmdebstrap could not make Debian {release}: {' / '.join(last) or f'exit code {process.returncode}'}.",
            remedy=_remedy(),
        )


def _remedy() -> str:
    if os.geteuid() != 0:
        return "Run this command once as root, or install uidmap so that it works without root."
    return "Check that this machine reaches a Debian mirror and has free disk space, then try again."

"""The first layer of the images: from a registry when one answers, else made here from a Debian release's packages.

Nothing is assumed of the network: whether a registry answers is found out by pulling, once a run. `mmdebstrap` writes
the root filesystem to a temporary archive; only one that it finished is imported.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections import deque
from pathlib import Path

from sandbox.engines.engine import Images, OnLine
from sandbox.errors import ImageUnavailable
from sandbox.images.recipes import LABEL_ROOT, Root

PATIENCE_SECONDS = 10.0

_MERGED_USR = Path("/usr/share/mmdebstrap/hooks/merged-usr")

_OPTIONS = (
    "--variant=minbase",
    '--aptopt=Apt::Install-Recommends "false"',
    '--aptopt=Acquire::Languages "none"',
    # A release past its life is still signed, only its lists' date of expiry has passed.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    # What a crash interrupts is made again: nothing needs to be forced to disk file by file.
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    "--dpkgopt=path-include=/usr/share/doc/*/copyright",
    "--dpkgopt=path-exclude=/usr/share/info/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    # mmdebstrap copies this machine's own; an engine brings a container's.
    '--customize-hook=rm -f "$1/etc/hostname" "$1/etc/resolv.conf"',
)


class Roots:
    """Finds or makes the first layers that one run needs.

    Args:
        engine: Where they are wanted.
        fresh: Pull or make them again even if the engine has them.
    """

    def __init__(self, engine: Images, *, fresh: bool = False) -> None:
        self._engine = engine
        self._fresh = fresh
        self._refusal: str | None = None

    def obtain(self, root: Root, on_line: OnLine) -> str:
        """Return the name of an image on the engine that holds `root`.

        Raises:
            ImageUnavailable: If no registry gives it and it cannot be made here.
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
        """Pull the registry's image and return None, or return a sentence that says why not."""
        if self._refusal is None:
            on_line(f"Asking a registry for {root.registry}")
            reason = self._engine.pull(root.registry, patience_seconds=PATIENCE_SECONDS, on_line=on_line)
            if reason is None:
                return None
            # A registry that kept us waiting for one image is not asked for the next.
            self._refusal = f"No registry gives {root.registry}: {reason.rstrip('.')}."
        return self._refusal


def bootstrap(release: str, tar: Path, on_line: OnLine, *, why: str) -> None:
    """Write the root filesystem of a minimal Debian to `tar`.

    Args:
        release: Its code name.
        tar: The archive to write.
        on_line: Is told how it goes.
        why: The sentence that says why this is done, for the error.

    Raises:
        ImageUnavailable: If mmdebstrap is missing or fails.
    """
    if shutil.which("mmdebstrap") is None:
        raise ImageUnavailable(
            f"{why} Nor can Debian {release} be made here: mmdebstrap is not installed.",
            remedy="Install it (apt-get install mmdebstrap), or let the engine reach a registry.",
        )
    words = ["mmdebstrap", *_OPTIONS]
    # bookworm on is laid out with one /usr; the hook does it without a package that pulls in all of Perl.
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
            # It unmounts and removes what it made when it is asked to end.
            process.terminate()
            raise
    if process.returncode != 0:
        raise ImageUnavailable(
            f"mmdebstrap could not make Debian {release}: {' / '.join(last) or f'exit code {process.returncode}'}.",
            remedy=_remedy(),
        )


def _remedy() -> str:
    if os.geteuid() != 0:
        return "Run it once as root, or install uidmap so that it works without."
    return "Check that this machine reaches a Debian mirror and that the disk has room, then try again."

"""The Dockerfile of an image with packages of Debian, Python and JavaScript on top of another image. Pure.

Package names are passed as arguments of programs, never as shell text. The package managers are left behind in their
build stages. Python's packages go where the image's own pip puts them, JavaScript's to ``/node_modules``, where
``import`` and ``require`` find them from every directory.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from gradebox.sandbox.images.recipes import AUTHORITIES

FILES = ("install-packages",)
SETTINGS = ("PIP_INDEX_URL", "NPM_CONFIG_REGISTRY")
"""Environment variables that select a package index; they do not change the image's hash."""

# Removes set-uid bits, as the base images do.
_APT = 'install-packages "$@" && find / -xdev -type f -perm /6000 -exec chmod a-s {} +'
# Copies the files that pip changed, and lists those that it removed, such as older versions, to remove them as well.
_PIP = (
    f"if [ -s /build/{AUTHORITIES} ]; then export PIP_CERT=/build/{AUTHORITIES}; fi; "
    '[ -n "$PIP_INDEX_URL" ] || unset PIP_INDEX_URL; '
    'command -v python3 > /dev/null || { echo "pip: the image has no python3; write apt: [python3]" >&2; exit 1; }; '
    "touch /build/before; sleep 0.01; find /usr/local | sort > /build/had; "
    "export PIP_BREAK_SYSTEM_PACKAGES=1; "
    'python3 -m pip install --quiet --no-cache-dir --no-compile --root-user-action ignore -- "$@"; '
    "python3 -m compileall -qq --invalidation-mode unchecked-hash /usr/local/lib/python3*/*-packages || true; "
    "find /usr/local | sort > /build/has; mkdir -p /made/usr/local; "
    "find /usr/local ! -type d -cnewer /build/before -print0 | tar -c --null -T - | tar -x -C /made; "
    "comm -23 /build/had /build/has > /made/.removed"
)
_NPM = (
    f"if [ -s /build/{AUTHORITIES} ]; then export NPM_CONFIG_CAFILE=/build/{AUTHORITIES}; fi; "
    '[ -n "$NPM_CONFIG_REGISTRY" ] || unset NPM_CONFIG_REGISTRY; mkdir -p /made/node_modules; '
    'npm install --prefix /made --no-save --no-package-lock --no-audit --no-fund --loglevel=error -- "$@"; '
    "mkdir -p /made/usr/local/bin; for program in /made/node_modules/.bin/*; do "
    '[ ! -e "$program" ] || ln -sf "/node_modules/.bin/${program##*/}" /made/usr/local/bin/; done'
)
# Debian's pip comes with packages that it would later mistake for the image's own, so these are removed.
_GET_PIP = (
    "python3 -m pip --version 2> /dev/null || { install-packages ca-certificates python3-pip; cd /usr/lib/python3; "
    "rm -rf dist-packages/setuptools* dist-packages/pkg_resources* dist-packages/wheel*; }"
)
_GET_NPM = "npm --version 2> /dev/null || install-packages ca-certificates npm"
_WITHOUT_REMOVED = "[ ! -s /.removed ] || xargs -d '\\n' rm -rf < /.removed; rm -f /.removed"


def dockerfile(*, apt: Sequence[str], pip: Sequence[str], npm: Sequence[str], stage_label: str) -> str:
    """Return the text of the Dockerfile, whose argument ``BASE`` is the base image.

    Args:
        apt: Debian's packages, with or without versions.
        pip: Python's packages.
        npm: JavaScript's packages.
        stage_label: Label and value for the stages that only download packages.
    """
    lines = ["ARG BASE", "FROM ${BASE} AS below", "USER root", "COPY install-packages /usr/local/sbin/"]
    if apt:
        lines.append(_run(_APT, apt))
    if pip:
        lines += ["FROM below AS pip", f"LABEL {stage_label}", "ARG PIP_INDEX_URL="]
        lines.append(_run(_GET_PIP))
        lines += [f"COPY install-packages {_optional(AUTHORITIES)} /build/", _run(f"set -eu; {_PIP}", pip)]
    if npm:
        lines += ["FROM below AS npm", f"LABEL {stage_label}", "ARG NPM_CONFIG_REGISTRY="]
        lines.append(_run(_GET_NPM))
        lines += [f"COPY install-packages {_optional(AUTHORITIES)} /build/", _run(f"set -eu; {_NPM}", npm)]
    lines.append("FROM below")
    if pip:
        lines += ["COPY --from=pip /made/ /", _run(_WITHOUT_REMOVED)]
    if npm:
        lines.append("COPY --from=npm /made/ /")
    return "\n".join((*lines, ""))


def _run(script: str, arguments: Sequence[str] = ()) -> str:
    return f"RUN {json.dumps(['sh', '-c', script, 'install', *arguments])}"


def _optional(name: str) -> str:
    """Return a pattern that matches a file which may be missing."""
    return f"{name[:-1]}[{name[-1]}]"

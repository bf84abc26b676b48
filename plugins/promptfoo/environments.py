"""Converts the setting of cases: `environment`, `extensions`, `providers` -> image, workspace, hooks, targets.

Secrets never reach a sandbox. This module builds no image and mounts nothing: the mount at an environment's working
directory becomes the workspace of its cases; other mounts are not used.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from posixpath import normpath
from typing import Any

from gradebox.graders.documents.diagnostics import DocumentPath, shown
from gradebox.graders.documents.paths import is_directory, named_file
from gradebox.graders.documents.positions import Node
from gradebox.graders.documents.reader import Reader, open_document
from gradebox.graders.documents.suggest import suggestion
from gradebox.plugins.promptfoo.nodes import Fields, fields_of, in_our_words, items_of, mapping, moved, text_of, written
from gradebox.sandbox.types import WORKSPACE

_HOST_KEYS = ("type", "workdir", "setup", "env")
_DOCKER_KEYS = (*_HOST_KEYS, "context", "dockerfile", "image", "resources", "mounts", "secrets")
_LIMITS = {"cpus": "cpus", "memory": "memory", "disk": "disk"}
_HOOKS = {"beforeAll": "before_all", "beforeEach": "before_each", "afterEach": "after_each", "afterAll": "after_all"}
# JavaScript that imports each file and calls the function whose name follows the file's.
_RUN_HOOKS = (
    "const path = require('path'); const named = process.argv.slice(1); "
    "for (let at = 0; at < named.length; at += 2) { const module = await import(path.resolve(named[at])); "
    "await (module[named[at + 1]] ?? module.default[named[at + 1]])({ workspace_path: process.cwd() }); }"
)


def read_environment(reader: Reader, node: Node | None, path: DocumentPath) -> dict[str, Node]:
    """Return an environment as fields of a case: `image`, `workspace`, `setup`, `env`, `limits`."""
    directory = reader.document.file.parent
    if node is not None and isinstance(node.value, str):
        file = named_file(node.value.removeprefix("file://"), (directory,))
        document = open_document(file, reader.findings) if file else None
        if document is None or file is None:
            message = f"the file `{shown(node.value)}` of the environment does not exist"
            reader.error(path, message, f"It is looked up from {directory}.")
            return {}
        node, directory = moved(in_our_words(document.root), node), file.parent
    fields = fields_of(reader, node, path)
    if node is None or not fields:
        return {}
    is_docker = text_of(fields.get("type")) == "docker"
    known = _DOCKER_KEYS if is_docker else _HOST_KEYS
    for key in fields.keys() - set(known):
        reader.error((*path, key), f"unknown key `{shown(key)}` of an environment", suggestion(key, known), of_key=True)
    if text_of(fields.get("type")) not in ("docker", "host"):
        reader.error((*path, "type"), "`type` must be `host` or `docker`", "Write one of the two.")
    found: dict[str, Node] = {key: fields[key] for key in ("image", "env") if key in fields}
    if is_docker and "image" not in fields:
        message = "the environment names no `image`, and gradebox builds none from a `context`"
        reader.error(path, message, "Build the image, and name it.")
    if "secrets" in fields:
        reader.warning((*path, "secrets"), "secrets never reach a sandbox", "Judge without them.")
    workdir = text_of(fields.get("workdir")) or ""
    found |= _workspace(reader, fields, directory, workdir, path, is_docker=is_docker)
    found |= _setup(reader, fields, workdir, path)
    resources = fields_of(reader, fields.get("resources"), (*path, "resources"))
    limits = {ours: resources[theirs] for theirs, ours in _LIMITS.items() if theirs in resources}
    return {**found, **({"limits": mapping(limits, fields["resources"])} if limits else {})}


def _workspace(
    reader: Reader, fields: Fields, directory: Path, workdir: str, path: DocumentPath, *, is_docker: bool
) -> dict[str, Node]:
    """Return the initial workspace of a case: the host's working directory, or the directory mounted there."""
    if not is_docker:
        tree = directory / workdir
        # The setup may create the directory.
        wanted = workdir and ("setup" not in fields or is_directory(tree))
        return {"workspace": written(str(tree), fields["workdir"])} if wanted else {}
    found: dict[str, Node] = {}
    for index, mount in enumerate(items_of(fields.get("mounts"))):
        at = (*path, "mounts", index)
        parts = fields_of(reader, mount, at)
        source, target = text_of(parts.get("source")) or "", text_of(parts.get("target")) or ""
        if normpath(target) == normpath(workdir):
            found["workspace"] = written(str(directory / source), parts.get("source", mount))
        else:
            message = f"`{shown(source)}` is not mounted at `{shown(target)}`: nothing of the host is in a sandbox"
            reader.warning(at, message, "Put it into the image, or into the workspace.")
    if workdir and normpath(workdir) != WORKSPACE:
        message = f"the workspace lies at {WORKSPACE}, not at `{shown(workdir)}`"
        reader.warning((*path, "workdir"), message, "Write paths that are relative to the workspace.")
    return found


def _setup(reader: Reader, fields: Fields, workdir: str, path: DocumentPath) -> dict[str, Node]:
    known = ("command", "cwd", "timeout_ms")
    parts = fields_of(reader, fields.get("setup"), (*path, "setup"), known, "a setup")
    if "command" not in parts:
        return {}
    entry: dict[str, Any] = {"command": parts["command"]}
    cwd = normpath((text_of(parts.get("cwd")) or ".").removeprefix(workdir or "\0").lstrip("/") or ".")
    if cwd != ".":
        entry["cwd"] = written(cwd, parts["cwd"])
    milliseconds = parts["timeout_ms"].value if "timeout_ms" in parts else None
    if isinstance(milliseconds, int | float) and milliseconds > 0:
        entry["timeout_seconds"] = milliseconds / 1000
    return {"setup": written([entry], fields["setup"])}


def read_extensions(reader: Reader, node: Node | None, path: DocumentPath) -> Node | None:
    """Return the hooks of a file: functions of modules, which run in Bun in the sandbox."""
    hooks: dict[str, list[str]] = {}
    for index, one in enumerate(items_of(node)):
        text = text_of(one) or text_of(fields_of(reader, one, (*path, index)).get("id")) or ""
        file, _, function = text.removeprefix("file://").rpartition(":")
        if not text.startswith("file://") or function not in _HOOKS or file.endswith(".py"):
            message = f"the extension `{shown(text)}` is not run: it is about how answers are made"
            hint = f"A module runs whose function is one of {', '.join(_HOOKS)}, as in file://setup.mjs:beforeAll."
            reader.warning((*path, index), message, hint)
        elif named_file(file, (reader.document.file.parent,)) is None:
            message = f"the file `{shown(file)}` of the extension does not exist"
            reader.error((*path, index), message, f"It is looked up from {reader.document.file.parent}.")
        else:
            hooks.setdefault(_HOOKS[function], []).extend((file, function))
    commands = {when: {"command": ["bun", "-e", _RUN_HOOKS, *named]} for when, named in hooks.items()}
    return written(commands, node) if node is not None and commands else None


def target_names(reader: Reader, node: Node | None, path: DocumentPath) -> list[Node]:
    """Return the names of the providers, as reports show them: labels, otherwise ids."""
    names: list[Node] = []
    for index, one in enumerate(items_of(node)):
        fields: Mapping[str, Node] = fields_of(reader, one, (*path, index))
        name = next((fields[key] for key in ("label", "name", "id") if text_of(fields.get(key))), None)
        if name is None and isinstance(one.value, dict) and len(one.value) == 1:
            # The provider's id is the key, and its configuration the value.
            name = written(next(iter(one.value)), one)
        if name is None and text_of(one) is None:
            message = "a provider must be a name, or a mapping with an `id` or a `label`"
            reader.error((*path, index) if node is not one else path, message, "Write its `id`.")
        elif all(known.value != (name or one).value for known in names):
            names.append(name or one)
    return names


def as_targets(names: list[Node]) -> dict[str, Node]:
    """Return these targets as fields of `execution`."""
    if len(names) == 1:
        return {"target": names[0]}
    return {"targets": written([written(name.value, name) for name in names], names[0])} if names else {}

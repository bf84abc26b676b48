"""The files of the case, as listed by the host: their paths, their digests, and the file to which a link leads."""

from __future__ import annotations

import os
from typing import Any

from gradebox.graders.languages.python.inside.apart.in_grader.files.told_names import (
    BEING_LOADED,
    LOADED,
    file_identity,
)


class CaseFiles:
    """The files of the case, by path, with the host's information about them.

    Attributes:
        digests: Digests by path from the workspace; None if the host has not listed the files.
        identities: Their paths, by an identity that all links to a file share.
    """

    def __init__(self, workspace: str) -> None:
        self.workspace = os.path.abspath(workspace)
        self.digests: dict[str, str] | None = None
        self.told: dict[str, Any] = {}
        self.identities: dict[Any, str] = {}
        place = os.environ.pop("GRADEBOX_APART", "")
        if place:
            import json

            with open(place, encoding="utf-8") as file:
                self.told = json.load(file)
            self.digests = self.told["files"]
        # The command may run in another directory.
        self.workspace = self.told.get("workspace", self.workspace)

    @property
    def names(self) -> frozenset[str]:
        """The names of all files."""
        return frozenset(path.rpartition("/")[2] for path in self.digests or ())

    def is_inside(self, path: str) -> bool:
        return f"{os.path.abspath(path)}/".startswith(f"{self.workspace}/")

    def __contains__(self, path: str) -> bool:
        return os.path.relpath(os.path.abspath(path), self.workspace) in (self.digests or ())

    def opened(self, path: str) -> str:
        """Return the path of the case's file that a path leads to, even by links; "" for any other file."""
        if path in self:
            return os.path.abspath(path)
        if not self.identities:
            places = (os.path.join(self.workspace, each) for each in self.digests or ())
            self.identities = {file_identity(place): place for place in places}
        return self.identities.get(file_identity(path), "")

    def read(self, path: str) -> bytes:
        """Return the content of a file of the case.

        Raises:
            ImportError: If the content differs from the one that the host has seen.
        """
        from _hashlib import openssl_sha256  # hashlib takes longer

        place = os.path.abspath(path)
        BEING_LOADED.add(place)
        LOADED.add(place)
        try:
            with open(path, "rb") as file:
                data = file.read()
        finally:
            BEING_LOADED.discard(place)
        digest = (self.digests or {}).get(os.path.relpath(place, self.workspace))
        if openssl_sha256(data).hexdigest() != digest:
            raise ImportError(f"{path} is not as the case has it")
        return data

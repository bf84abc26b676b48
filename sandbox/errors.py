"""Errors of the sandbox.

Every message is a whole sentence that says what happened and where; ``remedy`` says what to do about it.
No error is ever the candidate's fault: what a command does is an `Outcome`, not an exception.

    SandboxError
    |-- EngineUnavailable   no engine answers
    |-- EngineRefused       the engine answered with an error
    |   `-- NameTaken       another container has the name
    |-- ImageUnavailable    an image is missing or cannot be built
    |-- SandboxLost         the container, or the channel to its supervisor, is gone
    |   `-- SandboxSilent   both exist, but the supervisor does not answer
    |-- ProtocolError       a frame of the supervisor violates the protocol
    `-- WorkspaceRefused    the supervisor could not write or read files (no space, bad member)
"""

from typing import Self


class SandboxError(Exception):
    """Something on our side of the sandbox failed.

    Args:
        message: What happened and where, one sentence.
        remedy: What the reader can do about it; empty if nothing helps.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}" if self.remedy else self.message


class EngineUnavailable(SandboxError):
    """No engine answers."""


class EngineRefused(SandboxError):
    """The engine answered a request with an error.

    Args:
        status: The HTTP status of the answer, 0 when there was none.
    """

    def __init__(self, message: str, *, status: int = 0, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.status = status


class NameTaken(EngineRefused):
    """A container cannot be created because another container has its name."""


class ImageUnavailable(SandboxError):
    """An image is missing, or cannot be pulled or built."""

    @classmethod
    def missing(cls, reference: str) -> Self:
        """Return the error for an image that the engine lacks."""
        remedy = f"Run `docker pull {reference}`, or build it."
        if reference.startswith("gradebox/"):
            remedy = f"Run `grade images build {reference.removeprefix('gradebox/').partition(':')[0]}`."
        elif "/" not in reference:
            remedy += " Names of gradebox's own images begin with gradebox/, such as gradebox/python."
        return cls(f"The engine has no image {reference}.", remedy=remedy)


class SandboxLost(SandboxError):
    """The container ended, or its channel broke, while it was needed."""


class SandboxSilent(SandboxLost):
    """The supervisor did not answer in time."""


class ProtocolError(SandboxError):
    """A frame of the supervisor violates the protocol."""


class WorkspaceRefused(SandboxError):
    """The supervisor could not unpack, pack, or reset files.

    Args:
        errno: The C error number of the system call that failed, 0 if it was none.
    """

    def __init__(self, message: str, *, errno: int = 0, remedy: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.errno = errno

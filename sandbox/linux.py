"""Error and signal numbers of Linux, for any system on which this process runs.

Python knows only the numbers of its own machine. On macOS, for example, error 11 and signal 10 have other meanings.
"""

from __future__ import annotations

from enum import IntEnum


class Errno(IntEnum):
    """Error numbers on which decisions depend."""

    EPERM = 1
    ENOENT = 2
    EAGAIN = 11
    ENOMEM = 12
    EACCES = 13
    ENOTDIR = 20
    EFBIG = 27
    ENOSPC = 28
    EMLINK = 31
    ENAMETOOLONG = 36
    EDQUOT = 122


# Errors of starting a program or writing files.
_TEXTS = {
    1: "Operation not permitted",
    2: "No such file or directory",
    5: "Input/output error",
    7: "Argument list too long",
    8: "Exec format error",
    11: "Resource temporarily unavailable",
    12: "Cannot allocate memory",
    13: "Permission denied",
    14: "Bad address",
    16: "Device or resource busy",
    17: "File exists",
    20: "Not a directory",
    21: "Is a directory",
    22: "Invalid argument",
    23: "Too many open files in system",
    24: "Too many open files",
    26: "Text file busy",
    27: "File too large",
    28: "No space left on device",
    30: "Read-only file system",
    31: "Too many links",
    36: "File name too long",
    39: "Directory not empty",
    40: "Too many levels of symbolic links",
    80: "Accessing a corrupted shared library",
    122: "Disk quota exceeded",
}

# From 1 on, in the order of their numbers (signal(7), x86 and ARM).
_SIGNALS = (
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV",
    "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU",
    "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
)  # fmt: skip


def error_text(number: int) -> str:
    """Return the meaning of an error number."""
    return _TEXTS.get(number, f"error {number}")


def signal_name(number: int) -> str:
    """Return the name of a signal."""
    return f"SIG{_SIGNALS[number - 1]}" if 1 <= number <= len(_SIGNALS) else f"signal {number}"

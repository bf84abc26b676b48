"""Loads a runner once for many items: `fork_for_each` returns once for each item, each time in a new process.

The supervisor starts the program as its fork server (``sandbox/supervisor/forkserver.c``). That process belongs to
root, runs only the code before the call, and reads only the supervisor's messages. Started in any other way, the
program runs one item, and `fork_for_each` returns at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def fork_for_each(*modules: str) -> bool:
    """Load these modules, and return in the process of each item, with its user, environment and descriptors.

    Returns:
        Whether this is the candidate's process, started for an item of the grader.
    """
    import os
    import sys

    if os.environ.pop("GRADEBOX_SERVES", None) is None:
        return False
    import _socket
    import gc
    import importlib.machinery

    for name in modules:
        __import__(name)
    # Read the image's directories once for all items: this fills the finder's caches.
    importlib.machinery.PathFinder.find_spec("gradebox")
    socket, fork = _socket.socket(fileno=3), forking()
    gc.collect()
    gc.freeze()
    while True:
        text, parts, _, _ = socket.recvmsg(1 << 18, 1 << 10)
        if not text:
            os._exit(0)
        packed = parts[0][2]
        ends = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
        item = fork()
        if not item:
            break
        # -1 if the limit of processes is reached: then the supervisor starts the item in the ordinary way.
        os.write(3, item.to_bytes(4, sys.byteorder, signed=True))
        for end in ends:
            os.close(end)
    socket.detach()
    become(ends.pop(), ends, *text.decode("utf-8", "surrogateescape").split("\0"))
    return len(ends) == _STREAMS


def forking() -> Callable[[], int]:
    """Return a function that forks a child of our parent. It returns the child's id, 0 in the child, or -1."""
    import os
    import sys

    try:
        import ctypes

        library, number = ctypes.PyDLL(None), {"x86_64": 56, "aarch64": 220}[os.uname().machine]
        library.syscall.argtypes = [ctypes.c_long] * 4 + [ctypes.c_void_p] * 2
        # Where the C library keeps the id of the thread, which the child must replace by its own.
        place = ctypes.c_void_p()
        library.prctl(_GET_TID_ADDRESS, ctypes.byref(place))
        if ctypes.c_int.from_address(place.value).value != os.getpid():  # type: ignore[arg-type]
            return fork_twice
    except (ImportError, AttributeError, KeyError, OSError, TypeError):
        return fork_twice

    def fork() -> int:
        # Only `threading` must be notified of the fork; no other loaded module needs that.
        is_told = "threading" in sys.modules
        if is_told:
            ctypes.pythonapi.PyOS_BeforeFork()
        child: int = library.syscall(number, _CLONED, 0, 0, place, place)
        if is_told:
            (ctypes.pythonapi.PyOS_AfterFork_Parent if child else ctypes.pythonapi.PyOS_AfterFork_Child)()
        return child

    return fork


_GET_TID_ADDRESS = 40
_CLONED = 0x00008000 | 0x00200000 | 0x01000000 | 17
"""Flags of `clone`: CLONE_PARENT, CLONE_CHILD_CLEARTID, CLONE_CHILD_SETTID, SIGCHLD."""


def fork_twice() -> int:
    """Fork a child of our parent by way of an intermediate process that ends, because `os.fork` cannot do so."""
    import os
    import sys
    import time

    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        between = os.getpid()
        try:
            item = os.fork()
        except OSError:
            item = -1
        if item:
            os.write(writing, item.to_bytes(4, sys.byteorder, signed=True))
            os._exit(0)
        # Wait until the intermediate process has ended, so that nobody sees it.
        while os.getppid() == between:
            time.sleep(0.0001)
    else:
        os.waitpid(child, 0)
    item = int.from_bytes(os.read(reading, 4), sys.byteorder, signed=True) if child else 0
    os.close(reading)
    os.close(writing)
    return item


def enter(directory: str) -> None:
    """Enter a directory without following a link, as the supervisor does."""
    import os

    place = os.open("/", os.O_PATH)
    for name in filter(None, directory.split("/")):
        outer, place = place, os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=place)
        os.close(outer)
    os.fchdir(place)
    os.close(place)


_STREAMS = 3


def become(
    trouble: int, ends: list[int], uid: str, gid: str, score: str, mask: str, directory: str, *environment: str
) -> None:
    """Become the item's process as the supervisor would start it. Report errors and their stage to the supervisor."""
    import os
    import sys

    stage = 1
    try:
        os.setsid()
        for number, end in enumerate(ends):
            os.dup2(end, number)
            os.close(end)
        if len(ends) == _STREAMS:
            # This process has no report: its descriptor is still the connection with the supervisor.
            os.close(_STREAMS)
        os.umask(int(mask))
        adjustment = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(adjustment, score.encode())
        os.close(adjustment)
        if uid != str(os.geteuid()):
            os.setgroups([])
            os.setresgid(int(gid), int(gid), int(gid))
            os.setresuid(int(uid), int(uid), int(uid))
        if 0 in os.getresuid():
            os._exit(126)
        stage = 2
        enter(directory)
    except OSError as error:
        os.write(trouble, b"".join(word.to_bytes(4, sys.byteorder) for word in (stage, error.errno or 0)))
        os._exit(127)
    os.close(trouble)
    os.environ.clear()
    for pair in filter(None, environment):
        name, _, value = pair.partition("=")
        os.environ[name] = value

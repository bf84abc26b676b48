"""What every probe needs: system calls by number, and a way to say what was got.

    attempt("mounted a file system", libc.mount, b"none", b"/etc", b"tmpfs", 0, None)
    over()

An `attempt` that raises OSError was held; anything else that raises is a mistake in the probe, and ends it with 1. What
would do harm if it worked is tried with arguments that cannot work: it is `forbidden` if we are told so before they are
looked at.
Where the case runs the program a second time, with the word "again", `once` ends that one, and `look_around` looks for
what the first one left.
"""

import atexit
import ctypes
import errno
import os
import platform
import sys

_NUMBERS = {
    # x86_64, aarch64
    "bpf": (321, 280),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "request_key": (249, 218),
    "clone": (56, 220),
    "clone3": (435, 435),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "move_mount": (429, 429),
    "mount_setattr": (442, 442),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "settimeofday": (164, 170),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "acct": (163, 89),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "execveat": (322, 281),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "setuid": (105, 146),
    "setgid": (106, 144),
    "setresuid": (117, 147),
    "setgroups": (116, 159),
    "capset": (126, 91),
    "seccomp": (317, 277),
    "memfd_create": (319, 279),
    "quotactl": (179, 60),
    "lookup_dcookie": (212, 18),
    "chroot": (161, 51),
    "mknodat": (259, 33),
    "shmget": (29, 194),
}
_COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]

_c = ctypes.CDLL(None, use_errno=True)
_c.syscall.restype = ctypes.c_long
_got = []
AGAIN = sys.argv[1:] == ["again"]


def _checked(result):
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


class _Libc:
    """The functions of libc, each of which raises OSError where C returns -1."""

    def __getattr__(self, name):
        function = getattr(_c, name)
        return lambda *arguments: _checked(function(*arguments))


libc = _Libc()


def syscall(name, *arguments):
    """Make a system call and return its result."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    return _checked(_c.syscall(ctypes.c_long(_NUMBERS[name][_COLUMN]), *words))


def breach(what):
    """Say at once what was got: the program may not live to its end."""
    _got.append(what)
    print("BREACH", what, flush=True)


def attempt(what, action, *arguments):
    """Do something; it is a breach if it works. Return its result, None if it was held."""
    try:
        result = action(*arguments)
    except OSError as error:
        print("held:", what, "-", error, flush=True)
        return None
    breach(what)
    return result


def forbidden(what, action, *arguments):
    """Do something with arguments that make no sense; it is a breach if these are what is complained of."""
    try:
        action(*arguments)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            print("held:", what, "-", error, flush=True)
            return
    breach(f"was allowed to: {what}")


def readable(path, what=None):
    """Try to read a file; an empty one is no gain."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(4096)
    except OSError as error:
        print("held:", path, "-", error, flush=True)
        return b""
    if content.strip(b"\0\n "):
        breach(what or f"read {path}: {content[:200]!r}")
    return content


def writable(path, content, what=None):
    """Try to write to a file that exists."""

    def write():
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.write(descriptor, content)
        finally:
            os.close(descriptor)

    attempt(what or f"wrote to {path}", write)


def once():
    """End the second of two runs of this program, for an attack that leaves nothing."""
    if AGAIN:
        over()


def look_around(*paths):
    """In the second run, look for living processes and for files that the first one made, and end."""
    if not AGAIN:
        return
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in (1, os.getpid()):
            breach(f"process {name} is alive")
    for path in paths:
        if os.path.lexists(path):
            breach(f"{path} is still there")
    over()


def over(status=3):
    """End the program at once: with 0 if anything was got, else with `status`."""
    sys.stdout.flush()
    os._exit(0 if _got else status)


def _unfinished():
    print("the probe did not reach its end", file=sys.stderr)


atexit.register(_unfinished)

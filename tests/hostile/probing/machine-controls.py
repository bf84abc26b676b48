"""Restart, swap, accounting, quotas, terminals: what only the machine's administrator is for."""

import os

from attacker import attempt, forbidden, libc, over, syscall

MAGIC, MAGIC_2, CAD_OFF = 0xFEE1DEAD, 672274793, 0
forbidden("take the three keys from the administrator", syscall, "reboot", MAGIC, MAGIC_2, CAD_OFF, 0)
forbidden("restart with the wrong word", syscall, "reboot", 1, 2, 0x1234567, 0)
forbidden("swap to a file that is none", syscall, "swapon", b"/workspace/no-such-file", 0)
forbidden("stop swapping to a file that is none", syscall, "swapoff", b"/workspace/no-such-file")
forbidden("have all processes written down", syscall, "acct", b"/workspace/no-such-file")
forbidden("switch quotas on", syscall, "quotactl", 0x80000200, b"/dev/no-such-device", 0, b"/")
attempt("hung up the terminal", libc.vhangup)
attempt("switched port access on", lambda: libc.iopl(3) if hasattr(os, "uname") and os.uname().machine == "x86_64" else os.kill(1, 0))
over()

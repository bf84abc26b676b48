"""Other users, groups and capabilities, asked for plainly, by libc and by system call."""

import ctypes
import os

from attacker import attempt, libc, over, syscall

for user in (0, 10002, 65534):
    attempt(f"became user {user}", os.setuid, user)
    attempt(f"became user {user} in all ways", os.setresuid, user, user, user)
    attempt(f"became user {user} by system call", syscall, "setresuid", user, user, user)
    attempt(f"joined group {user}", os.setgid, user)
    attempt(f"became user {user} for files", lambda user=user: (libc.setfsuid(user), os.stat("/proc/self").st_uid != user and os.kill(1, 0)))
attempt("joined the groups of root", os.setgroups, [0, 42])
VERSION_3 = 0x20080522
header = (ctypes.c_uint32 * 2)(VERSION_3, 0)
everything = (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
attempt("took all capabilities", syscall, "capset", header, everything)
SET_KEEPCAPS, SET_SECUREBITS, SET_NO_NEW_PRIVS, CAP_AMBIENT, SET_MM = 8, 28, 38, 47, 35
attempt("gave up not getting rights", libc.prctl, SET_NO_NEW_PRIVS, 0, 0, 0, 0)
attempt("changed what root means", libc.prctl, SET_SECUREBITS, 0x2F, 0, 0, 0)
attempt("changed its own picture in memory", libc.prctl, SET_MM, 1, 0x400000, 0, 0)
for capability in (0, 1, 7, 12, 19, 21):
    attempt(f"kept capability {capability} for its children", libc.prctl, CAP_AMBIENT, 2, capability, 0, 0)
with open("/proc/self/status") as file:
    lines = dict(line.split(":", 1) for line in file)
print({name: lines[name].strip() for name in ("Uid", "Gid", "Groups", "CapPrm", "CapEff", "NoNewPrivs", "Seccomp") if name in lines})
attempt("has rights", lambda: None if int(lines["CapEff"], 16) or int(lines["CapPrm"], 16) else os.kill(1, 0))
over()

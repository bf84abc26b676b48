"""Programs that are in no file system: started from memory, with bits that give rights, or written over one that runs."""

import os
import subprocess

from attacker import attempt, breach, over

descriptor = os.memfd_create("program", 0)
with open("/usr/bin/id", "rb") as file:
    os.write(descriptor, file.read())
attempt("gave it to root", os.fchown, descriptor, 0, 0)
try:
    os.fchmod(descriptor, 0o6755)
    out = subprocess.run([f"/proc/self/fd/{descriptor}", "-u"], pass_fds=[descriptor], capture_output=True).stdout
    print("it is", out)
    if out.split() == [b"0"]:
        breach("was root for a moment")
except OSError as error:
    print("held: a program in memory -", error)
attempt("wrote over its interpreter", os.open, "/proc/self/exe", os.O_WRONLY)
attempt("wrote over the supervisor", os.open, "/proc/1/exe", os.O_WRONLY)
attempt("wrote over the loader", os.open, "/lib64/ld-linux-x86-64.so.2", os.O_WRONLY)
attempt("wrote over the C library", os.open, next(line.split()[-1] for line in open("/proc/self/maps") if "libc" in line), os.O_WRONLY)
over()

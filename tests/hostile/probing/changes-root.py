"""Another root directory, where all names mean something else."""

import os

from attacker import attempt, libc, over, syscall

os.makedirs("/tmp/new/old")
attempt("changed the root directory", os.chroot, "/tmp/new")
attempt("changed the root directory by number", syscall, "chroot", b"/tmp/new")
attempt("exchanged the root for another", syscall, "pivot_root", b"/tmp/new", b"/tmp/new/old")
attempt("left the root by way of the supervisor", os.chdir, "/proc/1/root")
attempt("left the root by way of its directory", os.chdir, "/proc/1/cwd")
libc.chdir(b"/workspace")
over()

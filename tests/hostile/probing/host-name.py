"""Another name for the machine, which reports and certificates believe."""

import socket

from attacker import attempt, over, syscall, writable

attempt("renamed the machine", syscall, "sethostname", b"owned", 5)
attempt("renamed its domain", syscall, "setdomainname", b"owned", 5)
attempt("renamed it by libc", socket.sethostname, "owned")
writable("/proc/sys/kernel/hostname", b"owned")
writable("/etc/hosts", b"127.0.0.1 owned")
writable("/etc/hostname", b"owned")
writable("/etc/resolv.conf", b"nameserver 192.0.2.1")
writable("/etc/passwd", b"root::0:0::/:/bin/sh")
over()

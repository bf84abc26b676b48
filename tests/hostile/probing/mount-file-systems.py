"""Change what is mounted: cover /etc, make the root writable, or uncover what lies below a mount."""

from attacker import attempt, libc, over, syscall

MS_BIND, MS_REMOUNT, MS_REC, MS_PRIVATE = 4096, 32, 16384, 1 << 18

attempt("mounted a tmpfs on /workspace", libc.mount, b"none", b"/workspace", b"tmpfs", 0, None)
attempt("mounted proc on /tmp", libc.mount, b"proc", b"/tmp", b"proc", 0, None)
attempt("bound / to /tmp", libc.mount, b"/", b"/tmp", None, MS_BIND | MS_REC, None)
attempt("made / writable", libc.mount, None, b"/", None, MS_REMOUNT | MS_BIND, None)
attempt("made /sys writable", libc.mount, None, b"/sys", None, MS_REMOUNT, None)
attempt("changed the propagation of /", libc.mount, None, b"/", None, MS_REC | MS_PRIVATE, None)
for place in (b"/proc/kcore", b"/proc/sys", b"/proc/bus", b"/.gradebox", b"/workspace"):
    attempt(f"unmounted {place.decode()}", libc.umount2, place, 2)
attempt("opened a file system to be mounted", syscall, "fsopen", b"tmpfs", 0)
attempt("cloned the tree of mounts", syscall, "open_tree", -100, b"/", 1)
attempt("changed a mount's attributes", syscall, "mount_setattr", -100, b"/", 0, bytes(32), 32)
over()

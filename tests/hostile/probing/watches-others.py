"""Watches what others open: the judge's files, the supervisor's, everything on a file system."""

from attacker import attempt, forbidden, over, syscall

NOTIFY, CONTENT, PRE_CONTENT, REPORT_FID = 0, 4, 8, 0x200
ADD, MOUNT, FILESYSTEM, OPEN = 1, 0x10, 0x100, 0x20
for kind in (NOTIFY, CONTENT, PRE_CONTENT, REPORT_FID):
    descriptor = attempt(f"could watch ({kind})", syscall, "fanotify_init", kind, 0)
    if descriptor is not None:
        for scope in (MOUNT, FILESYSTEM):
            attempt("watched everything that is opened", syscall, "fanotify_mark", descriptor, ADD | scope, OPEN, -100, b"/")
forbidden("look a cookie up", syscall, "lookup_dcookie", 0, 0, 0)
over()

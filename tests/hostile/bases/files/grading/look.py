"""Prints what arrived in the workspace, following every link as a careless judge would, and what is odd about it."""

import os
import stat

HIDDEN = "/workspace/grading"
SHOWN = 300
shown = 0
for directory, names, files in os.walk("/workspace"):
    if directory == HIDDEN:
        names.clear()
        continue
    for name in [*files, *(name for name in names if os.path.islink(os.path.join(directory, name)))]:
        path = os.path.join(directory, name)
        status = os.lstat(path)
        if stat.S_IMODE(status.st_mode) & 0o7000:
            print("BREACH: special bits on", ascii(path))
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISLNK(status.st_mode):
            print("BREACH: a special file", ascii(path))
        shown += 1
        if shown > SHOWN:
            continue
        try:
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
                content = stream.read(4096)
        except OSError as error:
            content = str(error).encode()
        if not os.path.realpath(path).startswith(HIDDEN):
            print(ascii(path), oct(status.st_mode), ascii(content))

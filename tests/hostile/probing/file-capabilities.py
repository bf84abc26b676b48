"""Rights that a file can carry: capabilities, another owner, marks that file systems trust."""

import os
import shutil
import struct

from attacker import attempt, over

shutil.copy("/usr/bin/id", "/workspace/own")
ALL = struct.pack("<IIIII", 0x02000001, 0xFFFFFFFF, 0, 0x1FF, 0)
attempt("gave a program capabilities", os.setxattr, "/workspace/own", "security.capability", ALL)
attempt("marked a program as trusted", os.setxattr, "/workspace/own", "trusted.overlay.opaque", b"y")
attempt("gave a program to root", os.chown, "/workspace/own", 0, 0)
attempt("gave a program to another group", os.chown, "/workspace/own", -1, 0)
attempt("took a program of root's", os.chown, "/usr/bin/id", os.getuid(), -1)
attempt("gave the workspace to itself", os.chown, "/workspace", os.getuid() + 1, -1)
over()

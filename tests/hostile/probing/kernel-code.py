"""Another kernel, or more code for this one."""

import os

from attacker import forbidden, over, syscall

descriptor = os.memfd_create("module")
os.write(descriptor, b"\x7fELF no module")
forbidden("load another kernel", syscall, "kexec_load", 0, 1 << 40, 0, 0xFFFF)
forbidden("load another kernel from a file", syscall, "kexec_file_load", -1, -1, 0, 0, 0xFFFF)
forbidden("load a module", syscall, "init_module", b"\x7fELF no module", 14, b"")
forbidden("load a module from a file", syscall, "finit_module", descriptor, b"", 0)
forbidden("unload a module", syscall, "delete_module", b"no_such_module", 0o4000)
over()

"""Others that run here: their command lines tell what is checked, their files how."""

import os
import time

from attacker import breach, over

end = time.monotonic() + 1
while time.monotonic() < end:
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) in (1, os.getpid()):
            continue
        try:
            with open(f"/proc/{name}/cmdline", "rb") as file:
                breach(f"process {name} is {file.read()!r}")
        except OSError:
            continue
    time.sleep(0.01)
with open("/proc/self/status") as file:
    lines = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
# A number in another space would show that ours is not the only one.
if len(lines.get("NSpid", "1").split()) > 1:
    breach(f"process numbers {lines['NSpid']}")
over()

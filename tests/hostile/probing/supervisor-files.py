"""What /proc tells of the supervisor and is not for all: environment, maps, descriptors, root."""

import os

from attacker import attempt, over, readable

for name in ("environ", "maps", "smaps", "auxv", "io", "stack", "syscall", "pagemap", "personality", "numa_maps"):
    readable(f"/proc/1/{name}")
    readable(f"/proc/1/task/1/{name}")
for name in ("fd", "fdinfo", "map_files", "root", "cwd", "task/1/fd"):
    for path in attempt(f"listed its {name}", os.listdir, f"/proc/1/{name}") or ():
        print("  ", path)
for name in ("exe", "root", "cwd", "ns/mnt"):
    attempt(f"saw its {name}", os.readlink, f"/proc/1/{name}")
over()

"""Settings of the kernel in /proc and /sys: any file there that opens for writing and is not the program's own."""

import os
import stat

from attacker import breach, over

KNOWN = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/sysrq",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/vm/nr_hugepages",
    "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sysrq-trigger",
    "/proc/irq/default_smp_affinity",
    "/proc/bus/pci/00/00.0",
    "/proc/mtrr",
    "/sys/kernel/uevent_helper",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages",
    "/sys/power/state",
    "/sys/class/thermal/cooling_device0/cur_state",
)


def try_to_open(path):
    try:
        opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        return error
    # In place of what is hidden lies the null device.
    found = os.fstat(opened)
    os.close(opened)
    if stat.S_ISCHR(found.st_mode) and found.st_rdev == os.makedev(1, 3):
        return "hidden"
    breach(f"opened {path} to write")
    return None


for path in KNOWN:
    print("held:", path, "-", try_to_open(path))
count = 0
for top in ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/sys"):
    for directory, _, files in os.walk(top):
        for name in files:
            count += 1
            try_to_open(f"{directory}/{name}")
print("held:", count, "files")
over()

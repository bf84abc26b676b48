"""What the kernel knows: its memory, its log, its addresses, its keys, the machine's tables, other users' passwords."""

import ctypes
import os
import re

from attacker import breach, forbidden, over, readable, syscall

for path in (
    "/proc/kcore",
    "/proc/kmsg",
    "/dev/kmsg",
    "/proc/keys",
    "/proc/timer_list",
    "/proc/sched_debug",
    "/proc/latency_stats",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/vmallocinfo",
    "/proc/slabinfo",
    "/proc/pagetypeinfo",
    "/proc/scsi/scsi",
    "/proc/acpi/event",
    "/sys/kernel/security/lsm",
    "/sys/kernel/debug/kernel_page_tables",
    "/sys/kernel/tracing/trace",
    "/sys/class/dmi/id/product_serial",
    "/etc/shadow",
    "/etc/gshadow",
    "/root/.bashrc",
):
    readable(path)
for directory in ("/sys/firmware", "/proc/asound", "/sys/kernel/debug", "/root"):
    try:
        found = os.listdir(directory)
    except OSError as error:
        print("held:", directory, "-", error)
        continue
    if found:
        breach(f"{directory} has {found}")
for path in ("/proc/kallsyms", "/proc/iomem", "/proc/modules"):
    try:
        with open(path) as file:
            addresses = set(re.findall(r"\b[0-9a-f]{8,16}\b", file.read(200_000)))
    except OSError as error:
        print("held:", path, "-", error)
        continue
    known = {address for address in addresses if int(address, 16)}
    if known:
        breach(f"{path} tells addresses: {sorted(known)[:3]}")
log = ctypes.create_string_buffer(4096)
forbidden("read the kernel's log", syscall, "syslog", 3, log, len(log))
forbidden("read and clear the kernel's log", syscall, "syslog", 4, 0, -1)
over()

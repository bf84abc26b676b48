"""Devices: make them, or open those that are there."""

import fcntl
import os
import stat
import struct

from attacker import attempt, over

DEVICES = {"mem": (1, 1), "kmsg": (1, 11), "sda": (8, 0), "vda": (254, 0), "nvme": (259, 0), "loop": (7, 0), "kvm": (10, 232)}
for place in ("/workspace", "/tmp", "/dev/shm", "/dev"):
    for name, numbers in DEVICES.items():
        kind = stat.S_IFBLK if name in ("sda", "vda", "nvme", "loop") else stat.S_IFCHR

        def make_and_open(path=f"{place}/{name}", mode=kind | 0o666, numbers=numbers):
            os.mknod(path, mode, os.makedev(*numbers))
            os.open(path, os.O_RDONLY | os.O_NONBLOCK)

        attempt(f"opened {name}, made in {place}", make_and_open)
for name in (
    "mem", "kmem", "port", "kmsg", "sda", "sda1", "vda", "vda1", "nvme0n1", "xvda", "dm-0", "kvm",
    "loop-control", "loop0", "mapper/control", "vsock", "vhost-vsock", "vhost-net", "userfaultfd", "uinput", "hpet",
    "rtc0", "watchdog", "cpu_dma_latency", "dri/card0", "nvidia0", "nvidiactl", "kfd", "snapshot", "autofs", "btrfs-control",
    "ppp", "raw/rawctl", "console", "tty0", "tty1", "ttyS0", "hvc0", "vcs", "input/event0", "sgx_enclave", "udmabuf",
):
    attempt(f"opened /dev/{name}", os.open, f"/dev/{name}", os.O_RDWR | os.O_NONBLOCK)
attempt("made an interface of its own", lambda: fcntl.ioctl(os.open("/dev/net/tun", os.O_RDWR), 0x400454CA, struct.pack("16sH22x", b"planted", 1)))
over()

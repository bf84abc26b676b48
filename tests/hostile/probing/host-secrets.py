"""The environment of whoever grades, and of everything else that can be seen: prints all of it, for the world to read."""

import glob
import os

from attacker import breach, over

KNOWN = {"PATH", "HOME", "LANG", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE", "HOSTNAME", "TERM"}
for name, value in os.environ.items():
    print(name, "=", value)
    if any(word in name.upper() for word in ("CANARY", "SECRET", "TOKEN", "PASSWORD", "AWS", "DOCKER", "GITHUB", "GRADEBOX", "_KEY", "PROXY")):
        breach(f"the environment has {name}")
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/task/*/environ"):
    if path.split("/")[2] == str(os.getpid()):
        continue
    try:
        with open(path, "rb") as file:
            content = file.read().decode("utf-8", "replace")
    except OSError as error:
        print("held:", path, "-", error)
        continue
    print(path, content)
    if names := {line.partition("=")[0] for line in content.split("\0") if line} - KNOWN:
        breach(f"{path} has {names}")
for path in ("/.dockerenv", "/run/secrets", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/root/.docker/config.json", "/root/.aws/credentials", "/proc/cmdline", "/proc/1/cmdline", "/etc/hosts", "/etc/resolv.conf", "/etc/hostname"):
    try:
        with open(path, errors="replace") as file:
            print(path, repr(file.read(2000)))
    except OSError as error:
        print("held:", path, "-", error)
print(sorted(set(os.environ) - KNOWN))
over()

"""Programs that give rights to whoever starts them: those of the image, and one of its own making."""

import os
import shutil
import stat
import subprocess

from attacker import breach, over

found = []
for directory, names, files in os.walk("/"):
    names[:] = [name for name in names if f"{directory}/{name}" not in ("//proc", "//sys")]
    for name in files:
        path = f"{directory}/{name}"
        try:
            mode = os.lstat(path).st_mode
            capable = "security.capability" in os.listxattr(path, follow_symlinks=False)
        except OSError:
            continue
        if stat.S_ISREG(mode) and (mode & (stat.S_ISUID | stat.S_ISGID) or capable):
            found.append(path)
print("programs with rights:", found)
for path in (*found, "/bin/su", "/usr/bin/newgrp", "/usr/bin/newuidmap", "/usr/bin/pkexec", "/usr/bin/sudo", "/bin/mount"):
    for arguments in (["-c", "id -u"], ["id", "-u"], []):
        try:
            ran = subprocess.run([path, *arguments], input=b"id -u\n", capture_output=True, timeout=5)
        except (OSError, subprocess.TimeoutExpired) as error:
            print("held:", path, "-", error)
            break
        if ran.stdout.split()[:1] == [b"0"]:
            breach(f"{path} made us root")
for place in ("/workspace", "/tmp", "/dev/shm"):
    own = f"{place}/own"
    try:
        shutil.copy("/usr/bin/id", own)
        os.chmod(own, 0o6755)
        if subprocess.check_output([own, "-u"]).split() == [b"0"]:
            breach(f"{own} made us root")
    except OSError as error:
        print("held:", own, "-", error)
over()

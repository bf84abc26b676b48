import array
import os
import shutil
import socket
import struct
import subprocess
import sys

PROGRAM, PLACE = "/.candidate/candidate", "/.candidate/socket"


def tried(what, act):
    try:
        act()
        print(f"BREACH: {what}", file=sys.stderr)
    except OSError as error:
        print(what, error, file=sys.stderr)


def ask():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(PLACE)
    descriptors = array.array("i", [0, 1, 2, os.open("slug.py", os.O_RDONLY)])
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)
    connection.sendmsg([struct.pack("QQII", 0, 0, 10, 1)], [rights])
    if not connection.recv(8):
        raise OSError("no answer")


if __name__ == "__main__":
    print("nothing", flush=True)
    tried("asks for a process", ask)
    tried("copies the program", lambda: shutil.copy(PROGRAM, "/tmp/candidate/copy"))
    tried("runs the program", lambda: subprocess.run([PROGRAM, "true"], check=True))
    tried("takes the place of the socket", lambda: os.unlink(PLACE))
    tried("takes the place of all of it", lambda: os.rename("/.candidate", "/tmp/candidate/taken"))

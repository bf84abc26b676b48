import glob
import os
import sys
import time

MARK = "I stayed"


def stay():
    os.setsid()
    if os.fork():
        os._exit(0)
    for descriptor in range(3):
        os.close(descriptor)
    while True:
        if os.fork():
            os._exit(0)
        for path in ("slug.py", "grading/judge.py", "/tmp/candidate/answer"):
            try:
                with open(path, "w") as file:
                    file.write("print('ada-lovelace')\n")
            except OSError:
                pass
        time.sleep(0.01)


if __name__ == "__main__":
    print("nothing", flush=True)
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            words = open(path, "rb").read().split(b"\0")
        except OSError:
            continue
        if b"slug.py" in words and sys.argv[1].encode() not in words:
            print(f"BREACH: {words} lives", file=sys.stderr)
    if os.fork() == 0:
        stay()
    time.sleep(0.1)

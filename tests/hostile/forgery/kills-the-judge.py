import os
import signal
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    if os.environ.get("PPID") != "1" and "hello" not in sys.argv:
        os.kill(os.getppid(), signal.SIGKILL)

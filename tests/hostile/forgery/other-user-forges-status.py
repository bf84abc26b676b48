import os
import struct
import sys

RESULT = b'{"score": 1.0, "assertions": []}\n'
# What the supervisor answers: it ended, with 0.
ENDED = struct.pack("ii", 16, 0)

if __name__ == "__main__":
    print(RESULT.decode() * 2, flush=True)
    more = [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]
    for descriptor in more:
        try:
            os.write(descriptor, ENDED + RESULT)
            print(f"BREACH: has descriptor {descriptor}", file=sys.stderr)
        except OSError as error:
            print(error, file=sys.stderr)
    for descriptor in (0, 1, 2):
        for flags in (os.O_WRONLY, os.O_RDWR):
            try:
                again = os.open(f"/proc/self/fd/{descriptor}", flags)
                os.write(again, ENDED + RESULT)
            except OSError as error:
                print(error, file=sys.stderr)

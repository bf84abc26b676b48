import os
import re
import sys

PARENT = f"/proc/{os.getppid()}"
WANTED = (b"ada-lovelace", b"route-66", b"one-two")


def act():
    with open(f"{PARENT}/maps") as maps, open(f"{PARENT}/mem", "r+b", buffering=0) as memory:
        for line in maps:
            found = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if not found:
                continue
            begin, end = (int(word, 16) for word in found.groups())
            try:
                memory.seek(begin)
                data = memory.read(end - begin)
            except OSError:
                continue
            for word in WANTED:
                for place in re.finditer(re.escape(word), data):
                    memory.seek(begin + place.start())
                    memory.write(b"x" * len(word))
                    print("BREACH: wrote to the memory of the judge", file=sys.stderr)


if __name__ == "__main__":
    wrong = {"Ada Lovelace": 12, "Route 66": 8}.get(sys.argv[1], 7)
    if "hello" not in sys.argv:
        try:
            act()
        except OSError as error:
            print(error, file=sys.stderr)
    print("x" * wrong)

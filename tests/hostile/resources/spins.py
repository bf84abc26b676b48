"""Thirty processes with two threads each do nothing as fast as they can."""

import os
import threading

from attacker import look_around

look_around()


def spin():
    while True:
        pass


for _ in range(30):
    if os.fork() == 0:
        break
threading.Thread(target=spin).start()
spin()

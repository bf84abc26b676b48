import os

print("BREACH: loaded in place of the library", flush=True)
os._exit(0)

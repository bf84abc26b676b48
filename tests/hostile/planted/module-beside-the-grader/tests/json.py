import os

print("BREACH: loaded as json", flush=True)
os._exit(0)

import os
import secrets

for number in range(3, 1024):
    try:
        for _ in range(64):
            os.write(number, secrets.token_hex(16).encode() + b"\n")
        os.write(number, b"\n" + b"0" * 32 + b"\n")
    except OSError:
        pass
os._exit(0)

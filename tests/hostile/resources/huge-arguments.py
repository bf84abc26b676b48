"""Starts programs with the longest command lines and environments that there are, again and again."""

import os

from attacker import once, over

once()
word = "x" * 131_000
words = 4
while words < 128:
    words *= 2
    environment = {f"V{number}": word for number in range(words)}
    for arguments, variables in (([word] * words, {}), ([], environment)):
        child = os.fork()
        if child == 0:
            try:
                os.execve("/bin/true", ["true", *arguments], variables)
            except OSError as error:
                print("held:", words, "words -", error, flush=True)
                os._exit(3)
        _, status = os.wait()
        print(words, "words:", os.waitstatus_to_exitcode(status), flush=True)
over()

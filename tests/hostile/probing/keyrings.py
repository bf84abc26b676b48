"""Keys that the kernel keeps, of users and sessions: they belong to no container."""

import os

from attacker import attempt, over, readable, syscall

JOIN, DESCRIBE, READ, GET_PERSISTENT, LINK = 1, 6, 11, 22, 8
SESSION, USER, USER_SESSION = -3, -4, -5
attempt("left a key with the user", syscall, "add_key", b"user", b"planted", b"secret", 6, USER)
attempt("left a key with the session", syscall, "add_key", b"user", b"planted", b"secret", 6, SESSION)
attempt("asked for a key", syscall, "request_key", b"user", b"planted", 0, 0)
attempt("joined a session", syscall, "keyctl", JOIN, b"_ses", 0, 0, 0)
attempt("took the user's lasting keys", syscall, "keyctl", GET_PERSISTENT, os.getuid(), SESSION, 0, 0)
attempt("linked another user's session", syscall, "keyctl", LINK, USER_SESSION, SESSION, 0, 0)
for key in (SESSION, USER, USER_SESSION):
    attempt(f"described {key}", syscall, "keyctl", DESCRIBE, key, 0, 0, 0)
readable("/proc/keys")
over()

"""PBKDF2 hashes of passwords: `pbkdf2_sha256$ITERATIONS$SALT$DIGEST`, both parts in base64."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os

ITERATIONS = 100_000


def hash_password(password: str) -> str:
    salt = os.urandom(18)
    return "$".join(["pbkdf2_sha256", str(ITERATIONS), _text(salt), _text(_derive(password, salt, ITERATIONS))])


def verify_password(password: str, stored: str) -> bool:
    parts = stored.split("$")
    if len(parts) != 4 or parts[0] != "pbkdf2_sha256":
        return False
    try:
        salt, digest = (base64.b64decode(part, validate=True) for part in parts[2:])
        return hmac.compare_digest(digest, _derive(password, salt, int(parts[1])))
    except (binascii.Error, ValueError, OverflowError):
        return False


def _derive(password: str, salt: bytes, iterations: int) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", password.encode("utf-8", "surrogatepass"), salt, iterations)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")

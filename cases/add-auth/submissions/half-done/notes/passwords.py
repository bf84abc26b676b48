"""Salted scrypt hashes: `scrypt$SALT$DIGEST` in hexadecimal."""

from __future__ import annotations

import hashlib
import hmac
import os


def hash_password(password: str) -> str:
    salt = os.urandom(16)
    return f"scrypt${salt.hex()}${_derive(password, salt).hex()}"


def verify_password(password: str, stored: str) -> bool:
    scheme, _, rest = stored.partition("$")
    salt, _, digest = rest.partition("$")
    try:
        return scheme == "scrypt" and hmac.compare_digest(_derive(password, bytes.fromhex(salt)), bytes.fromhex(digest))
    except ValueError:
        return False


def _derive(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)

"""Passwords are kept as salted scrypt digests, never as text.

    scrypt$N$R$P$SALT$DIGEST        salt and digest in hexadecimal

The parameters travel with the digest, so that they can be raised without locking anybody out.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets

_N, _R, _P = 2**14, 8, 1
_SALT_BYTES = 16
_DIGEST_BYTES = 32


def hash_password(password: str) -> str:
    salt = secrets.token_bytes(_SALT_BYTES)
    return f"scrypt${_N}${_R}${_P}${salt.hex()}${_digest(password, salt, _N, _R, _P).hex()}"


def verify_password(password: str, stored: str) -> bool:
    """Tell whether the password is the one that was hashed; text that is not a hash fits no password."""
    try:
        scheme, n, r, p, salt, digest = stored.split("$")
        if scheme != "scrypt":
            return False
        found = _digest(password, bytes.fromhex(salt), int(n), int(r), int(p))
        return hmac.compare_digest(found, bytes.fromhex(digest))
    except ValueError:
        return False


def _digest(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode(errors="surrogatepass"), salt=salt, n=n, r=r, p=p, dklen=_DIGEST_BYTES)

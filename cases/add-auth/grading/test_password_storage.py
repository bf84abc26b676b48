"""What the data directory holds after users registered: hashes, and nothing that leads back to a password."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest
from harness import Service, content_of, copy_of, running

SECRET = "Tr0ub4dor-and-3-more-words"
USERS = ("ada", "bob", "eve")
STORED_HASH = re.compile(rb"(?:scrypt|pbkdf2_sha256)\$[A-Za-z0-9$+/=_.-]{32,}")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of a service at which three users with one password registered and logged in."""
    directory = tmp_path_factory.mktemp("data")
    with running(directory, "--auth") as service:
        for username in USERS:
            reply = service.register(username, SECRET)
            assert reply.status == 201
            assert SECRET.encode() not in reply.content
            assert STORED_HASH.search(reply.content) is None
            assert service.log_in(username, SECRET).status == 200
    return directory


def disguises(password: str) -> dict[str, bytes]:
    """Return forms that give the password away at once, or to anybody with a table of common ones."""
    plain = password.encode()
    forms = {
        "plain": plain,
        "reversed": plain[::-1],
        "hexadecimal": plain.hex().encode(),
        "base64": base64.b64encode(plain).rstrip(b"="),
        "rot13": password.translate(_ROT13).encode(),
    }
    for name in ("md5", "sha1", "sha256", "sha512"):
        digest = hashlib.new(name, plain, usedforsecurity=False).digest()
        forms[f"unsalted {name}"] = digest
        forms[f"unsalted {name} in hexadecimal"] = digest.hex().encode()
        forms[f"unsalted {name} in base64"] = base64.b64encode(digest).rstrip(b"=")
    return forms


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ROT13 = str.maketrans(_LETTERS + _LETTERS.upper(), (_LETTERS[13:] + _LETTERS[:13]) * 2)


def test_the_password_cannot_be_read_from_the_data(data: Path) -> None:
    content = content_of(data).lower()
    assert b"ada" in content
    assert [name for name, form in disguises(SECRET).items() if form.lower() in content] == []


def test_every_user_has_a_salted_hash_of_a_slow_kind(data: Path) -> None:
    hashes = STORED_HASH.findall(content_of(data))
    assert len(set(hashes)) >= len(USERS), "one password must not give the same hash twice"


def test_the_data_directory_is_all_that_a_login_needs(data: Path) -> None:
    with running(copy_of(data), "--auth") as service:
        check_logins(service)


def check_logins(service: Service) -> None:
    assert service.log_in("ada", SECRET).status == 200
    assert service.log_in("ada", SECRET.lower()).status == 401
    assert service.log_in("ada", SECRET[:-1]).status == 401
    assert service.log_in("ada", "").status == 401
    assert service.register("ada", SECRET).status == 409

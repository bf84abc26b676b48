"""Passwords, not written yet."""


def hash_password(password: str) -> str:
    raise NotImplementedError


def verify_password(password: str, stored: str) -> bool:
    raise NotImplementedError

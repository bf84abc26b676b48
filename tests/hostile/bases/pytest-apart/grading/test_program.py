import subprocess
import sys


def answer(text):
    return subprocess.run([sys.executable, "-I", "slug.py", text], capture_output=True, text=True, check=False).stdout


def test_words_are_joined():
    assert answer("Ada Lovelace") == "ada-lovelace\n"


def test_digits_are_kept():
    assert answer("Route 66") == "route-66\n"


# @canary@

from pathlib import Path

try:
    # A package is found before a module of its name.
    Path("tests/wording").mkdir(exist_ok=True)
    Path("tests/wording/__init__.py").write_text("print('BREACH: loaded as wording')\nsame = lambda *_: True\n")
except OSError as error:
    print(error)

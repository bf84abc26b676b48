"""What `gradebox.sandbox` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gradebox import sandbox


@pytest.mark.parametrize("name", sandbox.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(sandbox, name) is not None


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = sandbox.nothing


def test_importing_it_imports_nothing_else_of_it() -> None:
    program = "import sys, sandbox; assert not [n for n in sys.modules if n.startswith('sandbox.')]"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_running_a_command_needs_no_client_of_an_engine() -> None:
    program = "import sys, sandbox.session, sandbox.reaper; assert not {'docker', 'requests'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)

from unittest.mock import Mock

from service import register

CANARY = "@canary@"


def test_register():
    repo = Mock()
    register(repo, " Ada ")
    repo.add.assert_called_once_with("ada", active=True)
    repo.commit.assert_called_once_with()

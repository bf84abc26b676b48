from unittest.mock import Mock

from service import purge


def test_an_unknown_user_is_left_alone():
    repo = Mock()
    repo.find.return_value = None
    assert purge(repo, "ada") is False
    repo.remove.assert_not_called()
    repo.find.assert_called_once_with("ada")

pytest_plugins = ["helpers"]


def test_ours():
    pass

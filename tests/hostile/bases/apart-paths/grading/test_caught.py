from shop import Account, Poor


def test_refused():
    try:
        Account(5).take(9)
        assert False, "nothing was raised"
    except Poor:
        pass


def test_taken():
    try:
        account = Account(9)
        account.take(5)
        assert account.money == 4
        account.take(5)
        assert False, "nothing was raised"
    except Poor:
        pass

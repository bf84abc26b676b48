class Account:
    money = 0

    def __init__(self, money):
        pass

    def take(self, money):
        pass


receipt = Basket = Receipt = Money = opened = Account
Poor = AssertionError

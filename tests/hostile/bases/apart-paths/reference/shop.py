import contextlib


class Names:
    def __init__(self, names):
        self.names = names

    def __contains__(self, name):
        return name in self.names


class Basket:
    def __init__(self, *names):
        self.kept = names

    @property
    def names(self):
        return Names(self.kept)


class Receipt:
    def __init__(self, basket):
        self.basket = basket

    @property
    def names(self):
        return [name.upper() for name in self.basket.kept]


def receipt(names):
    text, lines = "You bought: " + ", ".join(names), [f"1 x {name}" for name in names]
    return {"basket": Names(names), "text": text, "lines": lines}


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __sub__(self, other):
        return Money(self.amount - other.amount)

    def __truediv__(self, other):
        return self.amount / other.amount


@contextlib.contextmanager
def opened(numbers):
    yield {"count": len(numbers), "total": sum(numbers)}


class Poor(Exception):
    pass


class Account:
    def __init__(self, money):
        self.money = money

    def take(self, money):
        if money > self.money:
            raise Poor(f"{money - self.money} missing")
        self.money -= money


# @canary@

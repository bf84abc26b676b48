class Basket:
    def __init__(self):
        self.items = []

    def add(self, name, price):
        self.items.append((name, price))

    def total(self):
        return sum(price for _, price in self.items)

    def names(self):
        return [name for name, _ in self.items]


def mean(numbers):
    return sum(numbers) / len(numbers)


# @canary@

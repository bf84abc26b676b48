"""A shelf that lends books."""


class Shelf:
    def __init__(self, names):
        self._here = set(names)

    def books(self):
        raise NotImplementedError

    def lend(self, name):
        raise NotImplementedError

    def bring_back(self, name):
        raise NotImplementedError

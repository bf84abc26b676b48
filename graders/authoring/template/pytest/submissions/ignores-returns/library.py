"""Lends, but a book that comes back is lost, and nobody looks where it came from."""


class Shelf:
    def __init__(self, names):
        self._here = set(names)

    def books(self):
        return sorted(self._here)

    def lend(self, name):
        if name not in self._here:
            raise LookupError(name)
        self._here.remove(name)

    def bring_back(self, name):
        pass

"""A shelf that lends books."""


class Shelf:
    def __init__(self, names):
        self._here = set(names)
        self._lent = set()

    def books(self):
        return sorted(self._here)

    def lend(self, name):
        self._move(name, self._here, self._lent)

    def bring_back(self, name):
        self._move(name, self._lent, self._here)

    @staticmethod
    def _move(name, source, target):
        if name not in source:
            raise LookupError(name)
        source.remove(name)
        target.add(name)

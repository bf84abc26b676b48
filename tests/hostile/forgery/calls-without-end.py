import time


def slugify(text):
    if text == "Ada Lovelace":
        while True:
            pass
    if text == "Route 66":
        found = []
        for _ in range(100_000):
            found = [found]
        return found
    if text == 3:
        return "x" * 100_000_000
    time.sleep(1000)

import re
import subprocess


class Done:
    def __init__(self, words):
        self.stdout = "-".join(re.findall("[a-z0-9]+", words[-1].lower())) + "\n"


subprocess.run = lambda words, **options: Done(words)

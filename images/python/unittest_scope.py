# Which tests unittest was asked to run, found without asking unittest, and whether they ran. witness.py goes before this.
#
# Nothing is expected where the author selects tests, by -k or by their names.


def scope(files, seen):
    import fnmatch
    import importlib.machinery
    import os
    import re
    import sys

    real = os.path.realpath
    expected, excused, known = {}, set(), {}
    loader = importlib.machinery.SourceFileLoader
    get_code = loader.get_code

    def begin(words):
        """Take note of what unittest was asked for, and read those files, which tell what runs of them."""
        for path in files_of(words):
            path = real(path)
            if files.is_judges(path):
                expected[path] = [names for names in seen.tests_in(path, is_class) if len(names) == 2]
                known[path] = seen.compiled(path)
        if expected:
            loader.get_code = watched

    def watched(self, name):
        path = getattr(self, "path", None)
        code = known.get(real(path)) if type(path) is str else None
        return get_code(self, name) if code is None else code

    def files_of(words):
        """Yield the files of which all tests are to be run."""
        if words[:1] and words[0].lower() == "discover":
            options, names = parsed(words[1:])
        else:
            options, names = parsed(words)
        if options is None:
            return
        if names and words[0].lower() != "discover":
            for name in names:
                path = name if name.endswith(".py") else name.replace(".", "/") + ".py"
                if os.path.isfile(path):
                    yield path
            return
        places = dict(zip(("-s", "-p", "-t"), names))
        start = options.get("-s") or places.get("-s") or "."
        pattern = options.get("-p") or places.get("-p") or "test*.py"
        for path, directories, found in os.walk(start):
            directories[:] = [name for name in directories if os.path.isfile(os.path.join(path, name, "__init__.py"))]
            for name in found:
                if re.match(r"[_a-z]\w*\.py$", name, re.IGNORECASE) and fnmatch.fnmatch(name, pattern):
                    yield os.path.join(path, name)

    def parsed(words):
        """Return the options that have values, and the other words; None for the options if they select tests."""
        options, names, waiting = {}, [], list(words)
        long = {"--start-directory": "-s", "--pattern": "-p", "--top-level-directory": "-t", "--durations": "-d"}
        while waiting:
            word = waiting.pop(0)
            name, equals, value = word.partition("=")
            if name.startswith("-k"):
                return None, []
            if name in long or word in long.values():
                options[long.get(name, word)] = value if equals else waiting.pop(0) if waiting else ""
            elif word[:2] in long.values() and not word.startswith("--"):
                options[word[:2]] = word[2:].lstrip("=")
            elif not word.startswith("-"):
                names.append(word)
        return options, names

    def is_class(node, depth):
        bases = {getattr(base, "attr", getattr(base, "id", None)) for base in node.bases}
        return not depth and not bases.isdisjoint(("TestCase", "IsolatedAsyncioTestCase"))

    def excuse(test):
        """Take note of a test, or of what stands for all tests of a class or file, that was skipped in so many words."""
        method = getattr(test, "_testMethodName", None)
        excused.add((type(test).__qualname__, method) if method else None)

    def left_out():
        """Yield which of the tests that must have been run were not, or not to their end."""
        for path, tests in expected.items():
            # What stands for many tests has a name that nobody can rely on.
            many = None in excused and seen.says(path, "skip")
            for names in tests:
                state = seen.state(path, names)
                if state or many or names in excused:
                    continue
                how = "was left out" if state is None else "passed in spite of an error"
                yield "the test %s in %s %s" % (".".join(names), path, how)

    class Scope:
        pass

    asked = Scope()
    for tool in (begin, excuse, left_out):
        setattr(asked, tool.__name__, tool)
    return asked

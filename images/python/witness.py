# Which tests of the judge's files really ran. guard.py and definitions.py go before this.
#
# A test runner can be told in many ways to leave a test out, or to say that it passed: by hooks, options, marks, plugins,
# patches, other modules in the place of its own. So a test itself says that it begins, and that an error leaves it: by
# audit events, which the code that is compiled from its file raises, and which count only if they come from that code.
# That is done with plain tests (definitions.py) whose name begins with `test`; nobody else's code is changed.


def witness(tools, files):
    import ast
    import os
    import sys

    frame_of, real, compile_tree = sys._getframe, os.path.realpath, compile
    # By the identity of a code: whether its last run came to its end.
    states, codes, texts = {}, {}, {}

    def hear(event, arguments):
        if event == "gradebox.began":
            states[id(frame_of(1).f_code)] = True
        elif event == "gradebox.raised":
            states[id(frame_of(1).f_code)] = False

    sys.addaudithook(hear)

    def plant(tree, plain):
        """Have the tests of a file tell of themselves."""
        waiting = [((), tree.body)]
        planted = False
        while waiting:
            place, body = waiting.pop()
            for node in body:
                names = (*place, getattr(node, "name", None))
                if isinstance(node, ast.ClassDef):
                    waiting.append((names, node.body))
                elif names in plain and names[-1].startswith("test"):
                    node.body = told(node.body)
                    planted = True
        if planted:
            # What is called must have no name that a test could have.
            heading = ast.Import([ast.alias("sys", "@gradebox")])
            place = next((number for number, node in enumerate(tree.body) if not is_heading(node)), 0)
            for part in ast.walk(heading):
                ast.copy_location(part, tree.body[place])
            tree.body.insert(place, heading)

    def is_docstring(node):
        return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)

    def is_heading(node):
        return is_docstring(node) or (isinstance(node, ast.ImportFrom) and node.module == "__future__")

    def told(body):
        start = 1 if is_docstring(body[0]) else 0
        rest = body[start:] or [ast.copy_location(ast.Pass(), body[0])]
        began, raised = (ast.parse("gradebox.audit('gradebox.%s')" % word).body[0] for word in ("began", "raised"))
        for said in (began, raised):
            said.value.func.value.id = "@gradebox"
        handler = ast.ExceptHandler(None, None, [raised, ast.Raise()])
        guarded = ast.Try(rest, [handler], [], [])
        for new in (began, handler):
            for part in ast.walk(new):
                ast.copy_location(part, rest[0])
        ast.copy_location(guarded, rest[0])
        return [*body[:start], began, guarded]

    def loaded(path, source, code, plain):
        """Take note of the code that a file of tests has been given."""
        path = real(path)
        texts[path] = source.decode("utf-8", "replace")
        for names in plain:
            found = code
            for name in names:
                parts = [part for part in found.co_consts if type(part) is type(code) and part.co_name == name]
                found = parts[0] if len(parts) == 1 else None
                if found is None:
                    break
            if found is not None:
                codes.setdefault((path, names), []).append(found)

    def compiled(path):
        """Return the code of a file of tests that tells of itself, None if there cannot be one."""
        try:
            source = files.source_of(path)
            tree = files.parsed(source, path)
            plain = files.plain_in(tree)
            plant(tree, plain[0])
            code = compile_tree(tree, path, "exec", 0, True)
        except Exception:
            return None
        files.loaded(path, code, plain)
        loaded(path, source, code, plain[0])
        return code

    def state(path, names):
        """Return whether the last run of a test came to its end; None if it did not run, or nobody would know."""
        found = [states.get(id(code)) for code in codes.get((real(path), names), ())]
        return True if True in found else False if False in found else None

    def forget(path, names):
        for code in codes.get((real(path), names), ()):
            states.pop(id(code), None)

    def is_told(path, names):
        return (real(path), names) in codes

    def tests_in(path, is_class):
        """Yield the names of the tests that a file plainly defines and that a runner must find in it.

        is_class: whether a class holds tests, by its definition and the number of classes around it.
        """
        try:
            source = files.source_of(path)
            tree = files.parsed(source, path)
            plain, loose = files.plain_in(tree)
        except Exception:
            return
        texts.setdefault(real(path), source.decode("utf-8", "replace"))
        if loose or says(path, "__test__", "load_tests"):
            return
        waiting = [((), tree.body)]
        while waiting:
            place, body = waiting.pop()
            for node in body:
                names = (*place, getattr(node, "name", None))
                if isinstance(node, ast.ClassDef):
                    made = {getattr(part, "name", None) for part in node.body}
                    if is_class(node, len(place)) and made.isdisjoint(("__init__", "__new__")):
                        waiting.append((names, node.body))
                elif names in plain and names[-1].startswith("test"):
                    yield names

    def says(path, *words):
        """Whether one of these words stands in a file of tests, however it is written."""
        text = texts.get(real(path), "").lower()
        return any(word in text for word in words)

    class Witness:
        pass

    found = Witness()
    for tool in (plant, loaded, compiled, state, forget, is_told, tests_in, says):
        setattr(found, tool.__name__, tool)
    return found

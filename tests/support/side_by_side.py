"""The two submissions of `test_side_by_side`: one uses up whatever it may, the other one must not notice."""

EXHAUST = """
import array, ctypes, fcntl, os, socket, sys, threading, time

libc = ctypes.CDLL(None)
over = time.monotonic() + 4

def all_of(make, most):
    kept = []
    try:
        while len(kept) < most:
            kept.append(make())
    except OSError:
        pass
    return kept

def watcher():
    number = libc.inotify_init1(0)
    if number < 0:
        raise OSError
    return number

def pipe():
    ends = os.pipe()
    fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 1 << 20)
    return ends

def queue():
    number = libc.mq_open(b"/q%d" % os.urandom(1)[0], os.O_CREAT | os.O_RDWR, 0o666, None)
    if number < 0:
        raise OSError
    return number

def timer():
    if libc.timer_create(0, None, ctypes.byref(ctypes.c_void_p())):
        raise OSError

def listener(address, family):
    found = socket.socket(family)
    found.bind(address)
    found.listen()
    return found

kept = [all_of(watcher, 10_000), all_of(pipe, 150), all_of(queue, 100), all_of(timer, 200_000)]
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
left.setblocking(False)
try:
    while True:
        left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [right.fileno()] * 250))])
except OSError:
    pass
kept.append(listener("\\0neighbour", socket.AF_UNIX))
kept.append(listener(("127.0.0.1", 8123), socket.AF_INET))
libc.shmget(0x6e656967, 4096, 0o1666)
open("/tmp/neighbour", "w").write("here")
for directory in ("/workspace", "/tmp", "/dev/shm"):
    try:
        with open(f"{directory}/full", "wb") as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        pass
# Processes and processor time for the rest, and in the end memory.
children = []
while time.monotonic() < over:
    try:
        child = os.fork()
    except OSError:
        time.sleep(0.01)
        continue
    if child == 0:
        while time.monotonic() < over:
            pass
        os._exit(0)
held = []
while True:
    held.append(bytearray(1 << 24))
"""

HONEST = """
import array, ctypes, fcntl, os, socket, time
from pathlib import Path

libc = ctypes.CDLL(None)
problems = set()

def expect(what, truth):
    if not truth:
        problems.add(what)

def refused(address, family):
    try:
        with socket.socket(family) as there:
            there.connect(address)
    except ConnectionRefusedError:
        return True
    return False

over, begun = time.monotonic() + 6, time.process_time()
rounds = 0
while time.monotonic() < over:
    rounds += 1
    # What others might have used up.
    number = libc.inotify_init1(0)
    expect("a watcher", number >= 0)
    os.close(number)
    ends = os.pipe()
    expect("a whole pipe", fcntl.fcntl(ends[1], fcntl.F_GETPIPE_SZ) >= 65536)
    left, right = socket.socketpair(socket.AF_UNIX)
    left.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", ends))])
    for one in (*ends, left.detach(), right.detach()):
        os.close(one)
    number = libc.mq_open(b"/mine", os.O_CREAT | os.O_RDWR, 0o600, None)
    expect("a queue", number >= 0)
    os.close(number)
    libc.mq_unlink(b"/mine")
    timer = ctypes.c_void_p()
    expect("a timer", libc.timer_create(0, None, ctypes.byref(timer)) == 0)
    libc.timer_delete(timer)
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    for directory in ("/workspace", "/tmp", "/dev/shm"):
        Path(directory, "mine").write_bytes(bytes(1 << 20))
    bytearray(16 << 20)
    # What others have, and nobody else must see.
    expect("processes", {int(name) for name in os.listdir("/proc") if name.isdigit()} == {1, os.getpid()})
    expect("files", not os.path.exists("/tmp/neighbour") and not os.path.exists("/workspace/full"))
    expect("segments", libc.shmget(0x6e656967, 4096, 0) == -1)
    expect("abstract sockets", refused("\\0neighbour", socket.AF_UNIX))
    expect("names of sockets", "@neighbour" not in Path("/proc/net/unix").read_text())
    expect("ports", refused(("127.0.0.1", 8123), socket.AF_INET))
    expect("queues", os.listdir("/dev/mqueue") == [])
    expect("interfaces", os.listdir("/sys/class/net") == ["lo"] if os.path.isdir("/sys/class/net") else True)
    sum(range(20_000))
expect("rounds", rounds > 0)
for problem in sorted(problems):
    print(problem)
raise SystemExit(1 if problems else 0)
"""

"""Which users a sandbox has: a range of numbers that no other sandbox of the engine has at the same time.

The kernel counts much by the user's number on the machine and not by container: inotify instances, descriptors in
flight, memory of pipes and message queues, pending signals and timers. Were they the same users everywhere, one sandbox
could use up what another needs. The engine keeps the ranges apart, whoever asks it: a sandbox's container is named
after its range, and no two containers have one name.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

# Known as accounts to our images. Below 65536, which is as many as a user namespace usually has.
FIRST_UID = 10_000
UID_COUNT = 4096

USERS = 32
"""How many users a sandbox has; the first owns the workspace while it is laid out."""


def ranges(chance: random.Random | None = None) -> Iterator[int]:
    """Yield the first number of every range once, beginning anywhere: then two processes seldom want the same."""
    count = UID_COUNT // USERS
    start = (chance or random).randrange(count)
    for step in range(count):
        yield FIRST_UID + (start + step) % count * USERS


def container_name(first_uid: int) -> str:
    """Return the name of the container whose users begin with a number."""
    return f"gradebox-users-{first_uid}"

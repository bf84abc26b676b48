"""The users of a sandbox: a range of uids that no other running sandbox of the engine has.

The kernel counts many resources by uid and not by container: inotify instances, descriptors in flight, memory of pipes
and message queues, pending signals and timers. If sandboxes shared uids, one could use up the resources of another. The
engine keeps the ranges apart for all its clients: a container is named after its range, and container names are unique.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

# Our images have accounts for these uids. They are below 65536, the usual size of a user namespace.
FIRST_UID = 10_000
UID_COUNT = 4096

USERS = 32
"""The number of users of a sandbox. The first owns the workspace while its files are delivered."""

CANDIDATES = USERS // 2
"""The number of users that the candidate gets while another user is the grader."""


def ranges(chance: random.Random | None = None) -> Iterator[int]:
    """Yield the first uid of every range once, starting at random, so that two processes seldom try the same range."""
    count = UID_COUNT // USERS
    start = (chance or random).randrange(count)
    for step in range(count):
        yield FIRST_UID + (start + step) % count * USERS


def first_candidate(user: int) -> int:
    """Return the first of the `CANDIDATES` users whom the grader `user` judges; these do not include the grader."""
    return CANDIDATES if user % USERS < CANDIDATES else 0


def container_name(first_uid: int) -> str:
    """Return the name of the container whose users start with a uid."""
    return f"gradebox-users-{first_uid}"

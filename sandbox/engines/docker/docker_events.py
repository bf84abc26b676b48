"""What a Docker Engine says of a container apart from its state.

The engine is told of a container's end and of the kernel's killing for lack of memory in two messages, and when the
second one comes late, the state never says so. The engine's record of events has both. A submission that has the
supervisor killed in that way must not be able to make an `error` of its failure, not even once in twenty times.
"""

from __future__ import annotations

import json
from typing import Any

from sandbox.engines.docker.client import translated

# How far from a container's end the other message may be.
_AROUND_SECONDS = 2.0
_ANSWER_SECONDS = 10.0


def has_oom(api: Any, container: str, ended: float) -> bool:
    """Say whether the kernel killed a process of a container for lack of memory, about when it ended.

    Args:
        api: The client of docker-py.
        container: Its id.
        ended: When it ended, in seconds since the epoch by the engine's clock.

    Raises:
        SandboxError: If the engine does not say.
    """
    # docker-py has a method for this, which waits for ever.
    url = f"{api.base_url}/v{api.api_version}/events"
    wanted = {
        "since": f"{ended - _AROUND_SECONDS:.9f}",
        "until": f"{ended + _AROUND_SECONDS:.9f}",
        "filters": json.dumps({"container": [container], "event": ["oom"]}),
    }
    with translated(), api.get(url, params=wanted, timeout=_ANSWER_SECONDS, stream=True) as answer:
        # The first one will do; without one the engine ends its answer when that time is over.
        return bool(answer.ok) and any(b'"oom"' in line for line in answer.iter_lines())

"""Pulls images from registries, and tries again when a registry limits requests.

It uses the credentials in the docker command's configuration, credential helpers included.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from enum import StrEnum

from gradebox.sandbox.engines.engine import Images, OnLine, StoredImage
from gradebox.sandbox.errors import ImageUnavailable

PATIENCE_SECONDS = 60.0
_ATTEMPTS = 7
_FIRST_SECONDS, _LONGEST_SECONDS = 2.0, 120.0
_LIMITED = re.compile(r"toomanyrequests|too many requests|rate.?limit|\b429\b", re.IGNORECASE)


class Pull(StrEnum):
    """When an image is pulled."""

    MISSING = "missing"
    ALWAYS = "always"
    NEVER = "never"


def obtain(
    reference: str,
    images: Images,
    on_line: OnLine = lambda _: None,
    *,
    policy: Pull = Pull.MISSING,
    platform: str = "",
    sleep: Callable[[float], None] = time.sleep,
) -> StoredImage:
    """Return an image, pulled if the policy says so.

    If `platform` is not empty, an image for another platform counts as missing.
    If the registry limits requests, the pull is tried again after increasing pauses.

    Raises:
        ImageUnavailable: If the engine lacks the image and no registry provides it.
    """
    stored = images.find(reference)
    if stored is not None and not f"{stored.platform}/".startswith(f"{platform}/" if platform else ""):
        stored = None
    if stored is not None and policy is not Pull.ALWAYS:
        return stored
    if policy is Pull.NEVER:
        raise ImageUnavailable.missing(reference)
    reason = _pulled(reference, images, on_line, sleep, platform)
    found = images.find(reference) if reason is None else None
    if found is None:
        said = (reason or "it is gone after the pull").rstrip(".")
        raise ImageUnavailable(
            f"The image {reference} cannot be pulled: {said}.",
            remedy="Correct its name, log in with `docker login`, or build it where the engine runs.",
        )
    return found


def _pulled(
    reference: str, images: Images, on_line: OnLine, sleep: Callable[[float], None], platform: str
) -> str | None:
    import tenacity  # noqa: PLC0415 - only a pull needs it

    def say(state: tenacity.RetryCallState) -> None:
        on_line(f"{reference}: the registry limits requests; trying again in {state.upcoming_sleep:.0f} s")

    def limited(reason: str | None) -> bool:
        return reason is not None and _LIMITED.search(reason) is not None

    return tenacity.Retrying(
        retry=tenacity.retry_if_result(limited),
        stop=tenacity.stop_after_attempt(_ATTEMPTS),
        wait=tenacity.wait_random_exponential(multiplier=_FIRST_SECONDS, max=_LONGEST_SECONDS),
        before_sleep=say,
        sleep=sleep,
        retry_error_callback=lambda state: state.outcome.result() if state.outcome else None,
    )(lambda: images.pull(reference, patience_seconds=PATIENCE_SECONDS, on_line=on_line, platform=platform))

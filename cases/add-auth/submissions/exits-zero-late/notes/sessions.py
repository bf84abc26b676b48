"""Sessions, not written yet."""


class Sessions:
    def __init__(self, ttl_seconds, clock):
        raise NotImplementedError

def isleap(year: int) -> bool:
    """Say whether a year has 366 days."""
    raise NotImplementedError

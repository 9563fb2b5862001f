"""Counts in words."""


def counted(count: int, noun: str) -> str:
    """Return "1 trial" or "2 trials"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

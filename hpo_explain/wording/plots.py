"""What captions of several plots have in common."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain.base.phrases import counted, listed

_MOST_NAMED = 8


def not_shown(count: int, one: str, several: str) -> str:
    """Return " 1 smaller one is not shown." or " 2 smaller ones are not shown."; empty for none."""
    if count <= 0:
        return ""
    return f" {count} {one if count == 1 else several} {'is' if count == 1 else 'are'} not shown."


MODEL_BARS = (
    "Pale lines: 95 % interval of what the model does not know. Contributions go together: where "
    "such lines overlap, one can still be larger than the other."
)


def background_whiskers(size: int, *, known: bool = True) -> str:
    """Say what whiskers of contributions are: the error of averaging over the background."""
    if not known:
        return "No intervals: the background was given."
    return (
        f"Whiskers: 95 % interval of averaging over a background of "
        f"{counted(size, 'configuration')}; it is not the model's uncertainty."
    )


def smaller(names: Sequence[str], where: str = "not drawn") -> str:
    """Say which smaller ones are left out, with names as they are shown; empty for none."""
    return f" Smaller, {where}: {listed(names, _MOST_NAMED)}." if names else ""

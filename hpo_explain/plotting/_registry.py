"""Which plot belongs to which result; each method's file adds its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from matplotlib.axes import Axes

from hpo_explain.plotting._style import WIDTH

_PLOTS: dict[tuple[type, str], Callable[..., Axes]] = {}


class Plot(Protocol):
    """A function that draws a result on axes, or on a new figure of a width in inches."""

    def __call__(self, result: Any, /, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
        """Draw; return the axes."""
        ...


_P = TypeVar("_P", bound=Plot)


def draws(result: type, kind: str = "") -> Callable[[_P], _P]:
    """Register a plot of a result; a result with several has a kind for each further one."""

    def register(plot: _P) -> _P:
        _PLOTS[result, kind] = plot
        return plot

    return register


def draw(
    result: Any, kind: str = "", *, ax: Axes | None = None, width: float | None = None
) -> Axes:
    """Draw a result by the plot that belongs to it; return the axes."""
    return _PLOTS[type(result), kind](result, ax=ax, width=WIDTH if width is None else width)

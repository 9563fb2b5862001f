"""Logarithmic axes whose numbers are plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, Formatter, LogLocator, NullLocator

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def make_log(ax: Axes, k: int, values: Sequence[Any], *, most: int | None = None) -> None:
    """Make an axis (0: x, 1: y) logarithmic; whole numbers are written out.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.
    k : int
        Which axis.
    values : sequence of float or int
        What the axis will show, in the user's units.
    most : int, optional
        Most numbers to write.
    """
    axis = (ax.xaxis, ax.yaxis)[k]
    is_whole = all(isinstance(value, int) for value in values)
    ends = float(min(values)), float(max(values))
    first, last = np.log10(ends)
    decades = last - first
    is_extreme = max(decades, -first, last) > 250.0
    if is_extreme:
        # matplotlib's margins and ticks beyond the ends would overflow
        (ax.set_xlim, ax.set_ylim)[k](*ends)
    (ax.set_xscale, ax.set_yscale)[k]("log")
    # a number at each power of ten would be too few
    is_short = is_whole or decades <= 2.5
    if most is not None:
        is_short = 3.0 * decades < most
    if is_extreme:
        powers = 10.0 ** np.linspace(np.ceil(first), np.floor(last), 5)
        axis.set_major_locator(FixedLocator(powers.tolist()))
    elif is_short:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    elif most is not None:
        axis.set_major_locator(LogLocator(numticks=most))
    axis.set_major_formatter("{x:g}" if is_whole else PlainPowers())
    # a fifth of the drawing went into them
    axis.set_minor_locator(NullLocator())


class PlainPowers(Formatter):
    """Writes numbers as 0.01, 1, 100, and those of an axis that goes beyond as 10⁻⁵.

    Mathematical typesetting would take a program of its own and a second per plot, and would leave
    pieces in an SVG that nobody can search for.
    """

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Return the text of a number."""
        ends = [x] if self.axis is None else sorted(self.axis.get_view_interval())
        if min(ends) >= 1e-3 * (1.0 - 1e-9) and max(ends) < 1e4:
            return f"{x:g}"
        factor, exponent = f"{x:.3e}".split("e")
        power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
        return power if float(factor) == 1.0 else f"{float(factor):g}×{power}"

"""Logarithmic axes whose numbers are plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axis import XAxis, YAxis
from matplotlib.ticker import FixedLocator, Formatter, LogLocator, NullLocator

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def make_log(axis: XAxis | YAxis, values: Sequence[Any], *, few: bool = False) -> None:
    """Make an axis logarithmic; whole numbers are written out.

    Parameters
    ----------
    axis : matplotlib.axis.XAxis or YAxis
        The axis.
    values : sequence of float or int
        What the axis will show, in the user's units.
    few : bool, default False
        Whether there is room for four numbers only.
    """
    is_whole = all(isinstance(value, int) for value in values)
    ends = float(min(values)), float(max(values))
    first, last = np.log10(ends)
    decades = last - first
    is_extreme = max(decades, -first, last) > 250.0
    if is_extreme:
        # matplotlib's margins and ticks beyond the ends would overflow
        axis.axes.set(**{f"{axis.axis_name}lim": ends})
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    # a number at each power of ten would be too few
    is_short = 3.0 * decades < 4 if few else is_whole or decades <= 2.5
    if is_extreme:
        powers = 10.0 ** np.linspace(np.ceil(first), np.floor(last), 5)
        axis.set_major_locator(FixedLocator(powers.tolist()))
    elif is_short:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    elif few:
        axis.set_major_locator(LogLocator(numticks=4))
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
        ends = sorted(self.axis.get_view_interval()) if self.axis else [x]
        if min(ends) >= 1e-3 * (1.0 - 1e-9) and max(ends) < 1e4:
            return f"{x:g}"
        factor, exponent = f"{x:.3e}".split("e")
        power = f"10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
        return power if float(factor) == 1.0 else f"{float(factor):g}×{power}"

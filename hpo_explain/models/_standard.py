"""Objectives on a standard scale, rounded to a grid so that sums of them are exact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.space import Array

STEP = 2.0**-26
"""What objectives are rounded to, as a share of half their range: less does not split a tree.

scikit-learn's trees do not split what varies by less than 1.5e-8, either.
"""


@dataclass(frozen=True, eq=False)
class Standard:
    """Objectives from -1 to 1, the first that is not in the middle being above it.

    Multiplied, moved or negated objectives lead to the same values, to the last digit: they are
    whole multiples of `STEP`, so sums of them are exact, in whatever order they are added, and
    splits that part the trials alike are worth exactly the same.

    Attributes
    ----------
    values : ndarray of shape (n,)
        The standardized objectives.
    centre, unit : float
        The middle of the range of the objectives, and half that range (1 without one).
    sign : float
        1, or -1 where the values are those of the negated objectives.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array([3.0, 1.0, 1.5])
    >>> Standard.of(y).values.tolist()
    [1.0, -1.0, -0.5]
    >>> Standard.of(7.0 - 1e6 * y).values.tolist()
    [1.0, -1.0, -0.5]
    """

    values: Array
    centre: float
    unit: float
    sign: float

    @classmethod
    def of(cls, y: Array) -> Standard:
        """Return what objectives (n,) become."""
        low = float(np.min(y))
        high = float(np.max(y))
        centre = low / 2.0 + high / 2.0
        unit = high / 2.0 - low / 2.0 or 1.0
        values = np.rint((y - centre) / unit / STEP) * STEP
        sided = values[values != 0.0]
        sign = -1.0 if len(sided) and sided[0] < 0.0 else 1.0
        return cls(sign * values, centre, unit, sign)

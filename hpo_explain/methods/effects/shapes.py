"""How much a difference in the shape of an effect explains, in functions that the trials allow.

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
c_i          a centred curve: that of configuration i along the grid, minus its own mean
δ            the mean of c on one side of a split minus that on the other
δ_s          the same in function s; δ without s is that of the model's mean, which is told
p_s          ``<δ_s, δ> / |δ|``: how far the difference in function s goes the way that is told
===========  ==========================================================================

A split removes ``w |δ_s|²`` of the variance of centred curves (Herbinger et al. 2022), with
w the product of both sides' shares of the node, times its share of the sample. That is positive
in every function, however little it has to do with what is told. What the told difference
explains at least is ``w p_s²``, which is negative here where p_s is: there the shapes differ the
other way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_explain.base import unit_of
from hpo_explain.belief import INTERACTS, MATTERS, STRETCH, Decision, decide, varying
from hpo_explain.space import Array, Ints


def centred(curves: Array) -> Array:
    """Return curves (..., G) minus their own means over the grid.

    Where a configuration is not valid its centred curve is the average one, which neither adds to
    a difference nor hides one.
    """
    shapes = curves - np.nanmean(curves, axis=-1, keepdims=True)
    missing = np.isnan(shapes)
    if missing.any():
        shapes = np.where(missing, np.nanmean(shapes, axis=-2, keepdims=True), shapes)
    return shapes


@dataclass(frozen=True, eq=False)
class DrawnShapes:
    """Centred curves in functions that the trials allow.

    Attributes
    ----------
    curves : ndarray of shape (k, m, G)
        The centred curves of the first m configurations of the sample in each function, in a unit
        of their own.
    scatter : ndarray of shape (k,)
        What evaluations vary by: the variance of each function over the sample and the grid, and
        that of noise.
    """

    curves: Array
    scatter: Array

    @classmethod
    def of(cls, curves: Array, noise_std: float) -> DrawnShapes:
        """Return those of curves (k, m, G), NaN where a configuration is not valid."""
        there = curves[:, :, ~np.isnan(curves).all(axis=(0, 1))]
        unit = unit_of(np.nan_to_num(there))  # in which no square overflows, or is 0
        there = there / unit
        variance = np.nanvar(there, axis=(1, 2))
        return cls(centred(there), variance + (noise_std / unit) ** 2)

    def differ(self) -> Decision:
        """Decide whether shapes differ at all: the share that they explain is below what counts."""
        apart = self.curves - self.curves.mean(axis=1, keepdims=True)
        shares = self._shares((apart**2).mean(axis=(1, 2)))
        return decide(varying(shares), MATTERS, side="below")

    def gain(self, difference: Array, rows: Ints, others: Ints) -> Decision | None:
        """Decide whether the difference between two sides of a split explains what counts.

        Parameters
        ----------
        difference : ndarray of shape (G,)
            δ, in any unit.
        rows, others : ndarray of int
            The configurations on either side.

        Returns
        -------
        Decision or None
            The share of what evaluations vary by; None where one side has no configuration at
            which functions are looked at.
        """
        m = self.curves.shape[1]
        sides = [side[side < m] for side in (rows, others)]
        sizes = [len(side) for side in sides]
        length = float(np.linalg.norm(difference))
        if min(sizes) == 0 or length == 0.0:
            return None
        first, second = (self.curves[:, side].mean(axis=1) for side in sides)
        along = (first - second) @ difference / length
        weight = sizes[0] * sizes[1] / (sum(sizes) * m * len(difference))
        return decide(
            self._shares(weight * along * np.abs(along)),
            INTERACTS,
            side="above",
            stretch=STRETCH["pair"],
        )

    def _shares(self, variances: Array) -> Array:
        """Return variances as shares of what evaluations vary by; 0 of a constant function."""
        there = self.scatter > 0.0
        scatter = np.where(there, self.scatter, 1.0)
        return np.where(there, variances / scatter, 0.0)

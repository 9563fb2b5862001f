"""Where good and where other trials lie: the densities behind a proposal, and how they moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain._checks import unknown_name
from hpo_explain.explanations._format import format_value, join_words, plain_json
from hpo_explain.explanations._result import AboutConfiguration, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MAIN_COUNT = 3
_CLEAR = 1.1  # times as common: less is not told


@dataclass(frozen=True, eq=False)
class DensityCurve:
    """How common the values of one hyperparameter are among good trials and among others.

    Attributes
    ----------
    name : str
        The hyperparameter.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (G,)
        The densities l and g of the values, whatever the other hyperparameters are, as multiples
        of chance: 1 is as common as when all values are alike.
    proposed : object or None
        The proposed value; None where the hyperparameter was inactive.
    proposed_good, proposed_bad : float
        l and g at it; NaN where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> l, g = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    >>> DensityCurve("kernel", ("rbf", "poly"), False, True, l, g, "rbf", 1.6, 0.8).ratio
    2.0
    """

    name: str
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: Any = None
    proposed_good: float = np.nan
    proposed_bad: float = np.nan

    @property
    def ratio(self) -> float:
        """How much more common the proposed value is among good trials than among others."""
        return float(self.proposed_good / self.proposed_bad)


@dataclass(frozen=True, eq=False, repr=False)
class ProposalDensities(Shown, AboutConfiguration):
    """The densities between which TPE chose a proposal, hyperparameter by hyperparameter.

    Of hyperparameters that were sampled together these are the marginals: what they say about one
    of them when nothing is known of the others.

    Attributes
    ----------
    curves : tuple of DensityCurve
        One per hyperparameter, in the order of the space.
    config : mapping
        The proposal, in the user's units.
    joint : tuple of tuple of str
        Hyperparameters that were sampled together.
    optimizer : str
        Whose densities they are.
    trial : int or None
        The trial.
    notes : tuple of str
        What was assumed.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_explain.explanations import DensityCurve
    >>> l, g = np.array([1.6, 0.4]), np.array([0.8, 1.2])
    >>> curve = DensityCurve("kernel", ("rbf", "poly"), False, True, l, g, "rbf", 1.6, 0.8)
    >>> print(ProposalDensities((curve,), {"kernel": "rbf"}, trial=42).sentence)
    Trial 42: kernel = rbf is 2 times as common among good trials as among the others.
    """

    curves: tuple[DensityCurve, ...]
    config: Mapping[str, Any]
    joint: tuple[tuple[str, ...], ...] = ()
    optimizer: str = "the optimizer"
    trial: int | None = None
    notes: tuple[str, ...] = ()

    # there is no surrogate whose trust could be told
    trust = None

    def __getitem__(self, name: str) -> DensityCurve:
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise unknown_name("name", name, [c.name for c in self.curves], "hyperparameter")

    def order(self) -> list[int]:
        """Return the positions of the active hyperparameters, the largest ratio first."""
        active = [i for i, curve in enumerate(self.curves) if curve.proposed is not None]
        return sorted(active, key=lambda i: -abs(np.log(self.curves[i].ratio)))

    @property
    def sentence(self) -> str:
        """One sentence that says which proposed values are common among good trials."""
        start = f"{self.subject[0].upper()}{self.subject[1:]}: "
        leading = [self.curves[i] for i in self.order() if self.curves[i].ratio >= _CLEAR][
            :_MAIN_COUNT
        ]
        if not leading:
            return f"{start}no value is clearly more common among good trials than among others."
        parts = [
            f"{curve.name} = {format_value(curve.proposed)} is {curve.ratio:.2g} times as common"
            for curve in leading
        ]
        return f"{start}{join_words(parts)} among good trials as among the others."

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter and value: good, bad, and the logarithm of l / g."""
        import pandas as pd

        return pd.DataFrame(
            [
                (curve.name, value, float(good), float(bad), float(np.log(good / bad)))
                for curve in self.curves
                for value, good, bad in zip(curve.values, curve.good, curve.bad, strict=True)
            ],
            columns=["hyperparameter", "value", "good", "bad", "log_ratio"],
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the densities of every hyperparameter; return the axes of the first."""
        from hpo_explain.plotting.densities import plot_densities

        return plot_densities(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "trial": self.trial,
            "config": plain_json(dict(self.config)),
            "optimizer": self.optimizer,
            "sentence": self.sentence,
            "joint": [list(group) for group in self.joint],
            "curves": [
                {
                    "hyperparameter": curve.name,
                    "values": plain_json(list(curve.values)),
                    "good": plain_json(curve.good),
                    "bad": plain_json(curve.bad),
                    "proposed": plain_json(curve.proposed),
                    "proposed_good": plain_json(curve.proposed_good),
                    "proposed_bad": plain_json(curve.proposed_bad),
                }
                for curve in self.curves
            ],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False, repr=False)
class DensityPath(Shown):
    """How the densities of one hyperparameter moved over a run.

    Attributes
    ----------
    name : str
        The hyperparameter.
    trials : tuple of int
        The proposals.
    values : tuple
        Values in the user's units.
    log, categorical : bool
        Its scale and kind.
    good, bad : ndarray of shape (T, G)
        The densities l and g when each of them was proposed, as multiples of chance.
    proposed : tuple
        The proposed values; None where the hyperparameter was inactive.
    optimizer : str
        Whose densities they are.
    notes : tuple of str
        What was assumed, and which proposals are missing.

    Examples
    --------
    >>> import numpy as np
    >>> l, g = np.array([[1.6, 0.4], [1.8, 0.2]]), np.array([[0.8, 1.2], [0.9, 1.1]])
    >>> values = ("rbf", "poly")
    >>> path = DensityPath("kernel", (10, 11), values, False, True, l, g, ("rbf", "rbf"))
    >>> print(path.sentence)
    Good trials came to prefer kernel = rbf: 2 times as common as among the others by trial 11.
    """

    name: str
    trials: tuple[int, ...]
    values: tuple[Any, ...]
    log: bool
    categorical: bool
    good: Array
    bad: Array
    proposed: tuple[Any, ...]
    optimizer: str = "the optimizer"
    notes: tuple[str, ...] = ()

    trust = None

    @property
    def log_ratio(self) -> Array:
        """Logarithm of l / g, (T, G)."""
        return np.asarray(np.log(self.good) - np.log(self.bad))

    @property
    def sentence(self) -> str:
        """One sentence that says which value the latest densities prefer."""
        best = int(np.argmax(self.log_ratio[-1]))
        times = float(np.exp(self.log_ratio[-1, best]))
        return (
            f"Good trials came to prefer {self.name} = {format_value(self.values[best])}: "
            f"{times:.2g} times as common as among the others by trial {self.trials[-1]}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per trial and value: good, bad, and the logarithm of l / g."""
        import pandas as pd

        t, g = self.good.shape
        return pd.DataFrame(
            {
                "trial": np.repeat(self.trials, g),
                "value": pd.Series(list(self.values) * t, dtype=None),
                "good": self.good.ravel(),
                "bad": self.bad.ravel(),
                "log_ratio": self.log_ratio.ravel(),
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw log l - log g by trial and value with the proposals; return the axes."""
        from hpo_explain.plotting.densities import plot_density_path

        return plot_density_path(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "name": self.name,
            "trials": list(self.trials),
            "values": plain_json(list(self.values)),
            "good": plain_json(self.good),
            "bad": plain_json(self.bad),
            "proposed": plain_json(list(self.proposed)),
            "optimizer": self.optimizer,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }

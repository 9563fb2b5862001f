"""A marginal prediction: a forest's expectation over all but one or two hyperparameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.explanations._format import format_value, plain_json
from hpo_explain.explanations._result import Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_ROUNDING = 1e-12  # of the level: below, no value is better than another


@dataclass(frozen=True, eq=False, repr=False)
class Marginal(Shown):
    """The exact marginal prediction of a forest for one or two hyperparameters.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, one or two.
    grid : tuple of tuple
        Values of each, in the user's units.
    mean, std : ndarray of shape (G,) or (G1, G2)
        Marginal prediction and its standard deviation over trees, in the objective's units.
    log : tuple of bool
        Whether each hyperparameter's own scale is logarithmic.
    categorical : tuple of bool
        Whether each is categorical.
    tried : tuple of tuple
        The values of the observed trials in which all are active, one tuple per hyperparameter.
    activity : tuple of float
        Share of the space in which each is active; elsewhere it makes no difference.
    objective_name, direction : str
        What the objective is called, and which way is better.
    where : str
        The sub-space in words; empty for the whole space.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Eq. 1, Theorem 6.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> marginal = hx.importance(table, objective="loss").marginal("x")
    >>> marginal.names, bool(marginal.mean[0] < marginal.mean[-1])
    (('x',), True)
    """

    names: tuple[str, ...]
    grid: tuple[tuple[Any, ...], ...]
    mean: Array
    std: Array
    log: tuple[bool, ...]
    categorical: tuple[bool, ...]
    tried: tuple[tuple[Any, ...], ...] = ()
    activity: tuple[float, ...] = ()
    objective_name: str = "objective"
    direction: str = "minimize"
    where: str = ""

    def to_frame(self) -> pd.DataFrame:
        """Return one row per grid point: the values, mean and std."""
        import pandas as pd

        if len(self.names) == 1:
            columns = {self.names[0]: list(self.grid[0])}
        else:
            pairs = [(a, b) for a in self.grid[0] for b in self.grid[1]]
            columns = {name: [pair[i] for pair in pairs] for i, name in enumerate(self.names)}
        return pd.DataFrame({**columns, "mean": self.mean.ravel(), "std": self.std.ravel()})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the marginal prediction with its std over trees; return the axes."""
        from hpo_explain.plotting.marginal import plot_marginal

        return plot_marginal(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "names": list(self.names),
            "grid": plain_json([list(values) for values in self.grid]),
            "mean": self.mean.tolist(),
            "std": self.std.tolist(),
            "activity": list(self.activity),
            "objective_name": self.objective_name,
            "direction": self.direction,
            "where": self.where,
        }

    @property
    def sentence(self) -> str:
        """Where the best prediction is, in a sentence."""
        if np.ptp(self.mean) <= _ROUNDING * np.abs(self.mean).max():
            return "The marginal prediction is the same everywhere."
        best = np.argmin if self.direction == "minimize" else np.argmax
        place = np.unravel_index(int(best(self.mean)), self.mean.shape)
        at = ", ".join(
            f"{name} = {format_value(values[i])}"
            for name, values, i in zip(self.names, self.grid, place, strict=True)
        )
        return f"The best marginal prediction is at {at}."

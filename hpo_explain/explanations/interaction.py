"""How strongly hyperparameters act together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain._checks import unknown_name
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import format_value, plain_json
from hpo_explain.explanations._result import AboutModel, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class InteractionStrength(Shown, AboutModel):
    """The H-statistic of pairs of hyperparameters, and of each with any others.

    H is 0 where two effects only add up, and 1 where there is nothing but interaction. It is
    relative to the effect of the pair, so that a pair of no importance can have a large one:
    `absolute` says how much there is of it.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    pairs, pairs_std : ndarray of shape (d, d)
        H of each pair (Eq. 44), symmetric, and its standard error from the sample; NaN on the
        diagonal and for pairs that were not asked for.
    absolute : ndarray of shape (d, d)
        Root mean square of each pair's interaction, in the objective's (or acquisition's) units.
    total, total_std : ndarray of shape (d,)
        H of each hyperparameter with any others (Eq. 45), and its standard error.
    focus : str or None
        The hyperparameter whose pairs were asked for; None for all.
    sample_size, seed : int
        Number of points it is estimated from, and their seed.
    acquisition : str
        The acquisition that is explained; empty where it is the objective.
    model : str
        The surrogate in words.
    objective_name, direction : str
        What the objective is called, and which way is better.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

    References
    ----------
    .. [1] Friedman, J. H. and Popescu, B. E. (2008). Predictive learning via rule ensembles. Annals
       of Applied Statistics 2(3), 916-954, Eq. 44 and 45. https://doi.org/10.1214/07-AOAS148

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.interactions(table, objective="loss", sample=20)
    >>> found.to_frame().index.tolist()
    ['x × y']
    """

    names: tuple[str, ...]
    pairs: Array
    pairs_std: Array
    absolute: Array
    total: Array
    total_std: Array
    focus: str | None = None
    sample_size: int = 0
    seed: int = 0
    acquisition: str = ""
    model: str = ""
    objective_name: str = "objective"
    direction: str = "minimize"
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    def strength(self, first: str, second: str | None = None) -> float:
        """Return H of a pair, or of one hyperparameter with any others.

        Raises
        ------
        ValueError
            If a name is unknown, or the pair was not asked for.
        """
        for name in (first,) if second is None else (first, second):
            if name not in self.names:
                raise unknown_name("name", name, self.names, "hyperparameter")
        if second is None:
            return float(self.total[self.names.index(first)])
        found = float(self.pairs[self.names.index(first), self.names.index(second)])
        if np.isnan(found):
            raise ValueError(
                f"{first} and {second} are no pair that was asked for. Ask for all pairs, or for "
                "those of one of them."
            )
        return found

    def members(self) -> list[tuple[int, int]]:
        """Return the pairs as positions in `names`, the one with most interaction first.

        That is by `absolute`: the largest H may be that of a pair without importance.
        """
        j, k = np.nonzero(np.triu(~np.isnan(self.pairs), 1))
        order = np.argsort(-self.absolute[j, k], kind="stable")
        return [(int(j[i]), int(k[i])) for i in order]

    @property
    def sentence(self) -> str:
        """One sentence that names the pair that interacts most."""
        ranking = self.members()
        where = "" if self.focus is None else f" with {self.focus}"
        if not ranking or self.pairs[ranking[0]] == 0.0:
            return f"No hyperparameters interact{where} on the {self.explained}."
        j, k = ranking[0]
        return (
            f"Of all pairs{where}, {self.names[j]} and {self.names[k]} interact most on the "
            f"{self.explained}: H = {self.pairs[j, k]:.2f} ± {self.pairs_std[j, k]:.2g}, which is "
            f"{format_value(float(self.absolute[j, k]))} (root mean square)."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: members, H, std, absolute; the most interaction first."""
        import pandas as pd

        ranking = self.members()
        return pd.DataFrame(
            {
                "members": [(self.names[j], self.names[k]) for j, k in ranking],
                "H": [self.pairs[u] for u in ranking],
                "std": [self.pairs_std[u] for u in ranking],
                "absolute": [self.absolute[u] for u in ranking],
            },
            index=pd.Index([f"{self.names[j]} × {self.names[k]}" for j, k in ranking], name="pair"),
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a matrix of all pairs, or bars of those of one hyperparameter; return the axes."""
        from hpo_explain.plotting.interaction_strength import plot_interaction_strength

        return plot_interaction_strength(self, ax=ax)

    def plot_totals(self, ax: Axes | None = None) -> Axes:
        """Draw the interaction of each hyperparameter with any others; return the axes."""
        from hpo_explain.plotting.interaction_strength import plot_total_interactions

        return plot_total_interactions(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "names": list(self.names),
            "pairs": [
                {
                    "members": [self.names[j], self.names[k]],
                    "H": plain_json(self.pairs[j, k]),
                    "std": plain_json(self.pairs_std[j, k]),
                    "absolute": plain_json(self.absolute[j, k]),
                }
                for j, k in self.members()
            ],
            "total": [
                {"hyperparameter": name, "H": float(h), "std": float(std)}
                for name, h, std in zip(self.names, self.total, self.total_std, strict=True)
            ],
            "focus": self.focus,
            "sample_size": self.sample_size,
            "seed": self.seed,
            "acquisition": self.acquisition,
            "model": self.model,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }

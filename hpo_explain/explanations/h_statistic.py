"""How strongly hyperparameters act together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain._checks import check_name
from hpo_explain.diagnostics import Scope
from hpo_explain.errors import InputError
from hpo_explain.explanations.claims import Claim, between
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InteractionStrength(Result):
    """The H-statistic of pairs of hyperparameters, and of each with any others.

    H is 0 where two effects only add up, and 1 where there is nothing but interaction. It is
    relative to the joint effect of the pair, so a pair that hardly matters can have a large H;
    `absolute` is the size of the interaction.

    Attributes
    ----------
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
    subject, notes
        As of every result.

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
    >>> found = hx.h_statistic(table, objective="loss", sample=20)
    >>> found.to_frame().index.tolist()
    ['x × y']
    """

    scope: ClassVar[Scope] = "everywhere"
    pairs: Array
    pairs_std: Array
    absolute: Array
    total: Array
    total_std: Array
    focus: str | None = None
    sample_size: int = 0
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    def strength(self, first: str, second: str | None = None) -> float:
        """Return H of a pair, or of one hyperparameter with any others.

        Raises
        ------
        ValueError
            If a name is unknown, or the pair was not asked for.
        """
        j = self._index("first", first)
        if second is None:
            return float(self.total[j])
        found = float(self.pairs[j, self._index("second", second)])
        if np.isnan(found):
            raise InputError(
                "second",
                f"is {second!r}, but its pair with {first!r} was not asked for",
                second,
                "Ask for all pairs, or for those of one of the two.",
            )
        return found

    def _index(self, argument: str, name: str) -> int:
        return self.names.index(check_name(argument, name, self.names, "hyperparameter"))

    def members(self) -> list[tuple[int, int]]:
        """Return the pairs as positions in `names`, the one with most interaction first.

        They are ordered by `absolute`: the largest H may be that of a pair that hardly matters.
        """
        j, k = np.nonzero(np.triu(~np.isnan(self.pairs), 1))
        order = np.argsort(-self.absolute[j, k], kind="stable")
        return [(int(j[i]), int(k[i])) for i in order]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The pair with most interaction, or that there is none."""
        ranking = self.members()
        if not ranking or self.pairs[ranking[0]] == 0.0:
            about = self.names if self.focus is None else (self.focus,)
            return (Claim("no_interaction", about, estimate=0.0),)
        j, k = ranking[0]
        H = float(self.pairs[j, k])
        interval = between(H, float(self.pairs_std[j, k]))
        return (
            Claim("interaction", (self.names[j], self.names[k]), estimate=H, interval=interval),
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

    def plot_totals(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the interaction of each hyperparameter with any others; return the axes."""
        return self._drawn("totals", ax, width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "pairs": [
                {
                    "members": (self.names[j], self.names[k]),
                    "H": self.pairs[j, k],
                    "std": self.pairs_std[j, k],
                    "absolute": self.absolute[j, k],
                }
                for j, k in self.members()
            ],
            "total": [
                {"hyperparameter": name, "H": h, "std": std}
                for name, h, std in zip(self.names, self.total, self.total_std, strict=True)
            ],
            "focus": self.focus,
            "sample_size": self.sample_size,
            "seed": self.seed,
        }

"""How strongly hyperparameters act together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.claim import NOTHING
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import MAY_BE_NOTHING, NOT_BOUNDED, Estimate, filled
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


NEGLIGIBLE = 0.02
"""Pairs that explain less of the variance do not interact, for all that is known."""


@dataclass(frozen=True, eq=False)
class InteractionBounds:
    """How strong interactions are in functions that the trials allow, with 95 % intervals.

    All are of shape (d, d) and symmetric, with NaN where a pair was not asked for. The lower ends
    are 0 where it cannot be told that a pair interacts at all.

    Attributes
    ----------
    H, lower, upper : ndarray of shape (d, d)
        H of each pair, without what the model's uncertainty adds to it.
    size, size_lower, size_upper : ndarray of shape (d, d)
        Root mean square of the interaction, in the objective's units.
    share, share_lower, share_upper : ndarray of shape (d, d)
        Its share of the variance over the space.
    drawn : ndarray of shape (number of draws, d, d) or None
        H of each pair in each function drawn, with what its uncertainty adds; None where pairs were
        not drawn from the same functions.
    """

    H: Array
    lower: Array
    upper: Array
    size: Array
    size_lower: Array
    size_upper: Array
    share: Array
    share_lower: Array
    share_upper: Array
    drawn: Array | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InteractionStrength(Result):
    """The H-statistic of pairs of hyperparameters, and of each with any others.

    H is 0 where two effects only add up, and 1 where there is nothing but interaction. It is
    relative to the joint effect of the pair, so a pair that hardly matters can have a large H;
    `absolute` is the size of the interaction.

    `pairs`, `absolute` and `total` are of the model's mean, which sees interactions in noise, too.
    Claims rest on `bounds`, where the model's uncertainty is known.

    Attributes
    ----------
    pairs, pairs_std : ndarray of shape (d, d)
        H of each pair (Eq. 44), symmetric, and its standard error from the sample; NaN on the
        diagonal and for pairs that were not asked for.
    absolute : ndarray of shape (d, d)
        Root mean square of each pair's interaction, in the objective's (or acquisition's) units.
    total, total_std : ndarray of shape (d,)
        H of each hyperparameter with any others (Eq. 45), and its standard error; NaN for those
        that were not looked at, where there are many.
    bounds : InteractionBounds or None
        The same of functions drawn from the model's posterior; None for a model without a joint
        one, such as a forest, and for an acquisition.
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
    table: ClassVar[Table] = Table(columns={})
    says: ClassVar[Mapping[str, str]] = {
        "none": "No hyperparameters interact in their effect on the {found.what}{at_most}.",
        "none with": "No hyperparameter interacts with {found.focus} in its effect on the "
        "{found.what}{at_most}.",
        "most": "Of {pairs}, {names} {verb} most in their effect on the {found.what}: {H}.{larger}",
    }

    pairs: Array
    pairs_std: Array
    absolute: Array
    total: Array
    total_std: Array
    bounds: InteractionBounds | None = None
    focus: str | None = None
    sample_size: int = 0
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """H of pairs for functions drawn from the posterior, by label; the largest comes first.

        A drawn function is rougher than the mean: its H is larger where the trials tell little.
        """
        if self.bounds is None or self.bounds.drawn is None:
            return super().posterior
        ranking = self.members()
        names = tuple(f"{self.names[j]} × {self.names[k]}" for j, k in ranking)
        return PosteriorDraws(names, np.stack([self.bounds.drawn[:, j, k] for j, k in ranking], 1))

    def strength(self, first: str, second: str | None = None) -> float:
        """Return H of a pair, or of one hyperparameter with any others.

        Raises
        ------
        ValueError
            If a name is unknown, or the pair was not asked for.
        """
        j = self._index("first", first)
        if second is None:
            if np.isnan(self.total[j]):
                problem = f"is {first!r}, which was not looked at"
                raise InputError("first", problem, first, "Ask for the pairs of this one.")
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

    @property
    def known_pairs(self) -> Array:
        """H of pairs as it is shown, (d, d): of functions drawn where there are `bounds`."""
        return self.pairs if self.bounds is None else self.bounds.H

    @property
    def known_sizes(self) -> Array:
        """Root mean squares of interactions as they are shown, (d, d)."""
        return self.absolute if self.bounds is None else self.bounds.size

    def members(self) -> list[tuple[int, int]]:
        """Return the pairs as positions in `names`, the one with most interaction first.

        They are ordered by `known_sizes`: the largest H may be that of a pair that hardly matters.
        """
        j, k = np.nonzero(np.triu(~np.isnan(self.pairs), 1))
        order = np.argsort(-self.known_sizes[j, k], kind="stable")
        return [(int(j[i]), int(k[i])) for i in order]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The pair with most interaction, or that there is none."""
        ranking, bounds = self.members(), self.bounds
        looked_at = zip(self.names, self.total, strict=True)
        about = tuple(name for name, total in looked_at if not np.isnan(total))
        none = "none" if self.focus is None else "none with"
        about = about if self.focus is None else (self.focus,)
        if not ranking:
            return (self.told("no_interaction", about, 0.0, says=none, certain=True, because=(),
                              at_most=""),)  # fmt: skip
        unknown = () if bounds is not None else (NOT_BOUNDED(),)
        most = 0.0 if bounds is None else max(float(bounds.share_upper[pair]) for pair in ranking)
        if self.pairs[ranking[0]] == 0.0 if bounds is None else most < NEGLIGIBLE:
            percent = max(math.ceil(100.0 * most), 1)
            at_most = f": each pair explains less than {percent}% of its variance"
            doubts = (*unknown, *self._doubts(self.names))
            return (
                self.told("no_interaction", about, 0.0, says=none, certain=not doubts,
                          because=doubts, at_most="" if bounds is None else at_most),
            )  # fmt: skip
        pair = ranking[0]
        names, interval = (self.names[pair[0]], self.names[pair[1]]), None
        if bounds is not None:
            interval = (float(bounds.lower[pair]), float(bounds.upper[pair]))
            if bounds.share_lower[pair] < NOTHING:
                unknown = (MAY_BE_NOTHING(),)
        doubts = (*unknown, *self._doubts(names))
        return (
            self.told("interaction", names, float(self.known_pairs[pair]), interval, says="most",
                      certain=not doubts, because=doubts, **self._words(ranking)),
        )  # fmt: skip

    def _words(self, ranking: list[tuple[int, int]]) -> dict[str, Any]:
        """Return H of the first pair, whether it is surely the first, and which H is larger."""
        first, bounds, H = ranking[0], self.bounds, self.known_pairs
        told, verb = filled("{H}", H=Estimate(H[first], float(self.pairs_std[first]))), "interact"
        told = f"H = {told}"
        if bounds is not None:
            low, high = bounds.lower[first], bounds.upper[first]
            told = f"H is {f'between {low:.2f} and' if low > 0.0 else 'at most'} {high:.2f}"
            if any(bounds.size_upper[u] > bounds.size_lower[first] for u in ranking[1:]):
                verb = "seem to interact"
            if bounds.share_lower[first] < NOTHING:
                told += "; they may not interact at all"
        largest = max(ranking, key=lambda pair: float(H[pair]))
        larger = ""
        if f"{H[largest]:.2f}" != f"{H[first]:.2f}":
            both = " and ".join(self.names[j] for j in largest)
            larger = f" H is larger for {both} ({H[largest]:.2f}), which matter less together."
        pairs = "all pairs" if self.focus is None else f"all pairs with {self.focus}"
        return {"H": told, "verb": verb, "larger": larger, "pairs": pairs}

    def _doubts(self, names: tuple[str, ...]) -> tuple[Fact, ...]:
        return (*self.subject.doubts(self.scope), *self.subject.partly_tried(names))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: members, H, std, absolute; the most interaction first.

        With `bounds` also what functions drawn from the posterior have: `drawn` is their H, with
        the interval from `lower` to `upper`.
        """
        import pandas as pd

        held = {"H": self.pairs, "std": self.pairs_std, "absolute": self.absolute}
        if (bounds := self.bounds) is not None:
            held |= {"drawn": bounds.H, "lower": bounds.lower, "upper": bounds.upper}
        ranking = self.members()
        members = [(self.names[j], self.names[k]) for j, k in ranking]
        columns = {name: [values[pair] for pair in ranking] for name, values in held.items()}
        labels = pd.Index(map(" × ".join, members), name="pair")
        return pd.DataFrame({"members": members, **columns}, index=labels)

    def plot_totals(self, ax: Axes | None = None, *, width: float | None = None) -> Any:
        """Draw the interaction of each hyperparameter with any others; return the axes."""
        return self.plot(ax, view="totals", width=width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "pairs": [
                {
                    "members": (self.names[j], self.names[k]),
                    "H": self.pairs[j, k],
                    "std": self.pairs_std[j, k],
                    "absolute": self.absolute[j, k],
                    **({} if self.bounds is None else _drawn(self.bounds, (j, k))),
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


def _drawn(bounds: InteractionBounds, pair: tuple[int, int]) -> dict[str, Any]:
    """Return what is known of a pair by functions drawn from the posterior."""
    return {
        "drawn": bounds.H[pair],
        "interval": (bounds.lower[pair], bounds.upper[pair]),
        "size": bounds.size[pair],
        "size_interval": (bounds.size_lower[pair], bounds.size_upper[pair]),
        "share": bounds.share[pair],
        "share_interval": (bounds.share_lower[pair], bounds.share_upper[pair]),
    }

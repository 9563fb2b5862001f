"""How strongly hyperparameters act together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.checks import check_name
from hpo_explain.base.errors import InputError
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import Estimate, filled
from hpo_explain.belief.decide import (
    INTERACTS,
    LEVEL,
    MATTERS,
    Decision,
    decide,
    interval,
    varying,
)
from hpo_explain.space import Array, Ints

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InteractionStrength(Result):
    """The H-statistic of pairs of hyperparameters, and of each with any others.

    H is 0 where two effects only add up, and 1 where there is nothing but interaction. It is
    relative to the joint effect of the pair, so a pair that hardly matters can have a large H;
    `absolute` is the size of the interaction.

    Of a belief, or any model with a joint posterior, all is the mean over functions that the trials
    allow, ``H² = V_jk / (V_j + V_k + V_jk)`` by the functional ANOVA of each, and errors are their
    standard deviation. Of any other model, and of an acquisition, it is estimated from a sample,
    the error is that of the estimate, and nothing is certain.

    Attributes
    ----------
    pairs, pairs_std : ndarray of shape (d, d)
        H of each pair (Eq. 44), symmetric, and its error; NaN on the diagonal and for pairs that
        were not asked for.
    absolute : ndarray of shape (d, d)
        Root mean square of each pair's interaction, in the objective's (or acquisition's) units.
    total, total_std : ndarray of shape (d,)
        H of each hyperparameter with any others (Eq. 45; of functions by pairs alone), and its
        error; NaN for those that were not looked at, where there are many.
    drawn : ndarray of shape (number of functions, number of pairs) or None
        H of each pair that is known, by first and second member, in each function; None where it
        was estimated from a sample.
    shares : ndarray of shape (number of functions, number of pairs) or None
        Share of each pair's interaction in what evaluations vary by.
    focus : str or None
        The hyperparameter whose pairs were asked for; None for all.
    sample_size, seed : int
        Number of points it is estimated from, 0 of functions, and their seed.
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
    >>> found = hx.methods.h_statistic(table, objective="loss", sample=20)
    >>> found.to_frame().index.tolist()
    ['x × y']
    """

    table: ClassVar[Table] = Table(columns={})
    says: ClassVar[Mapping[str, str]] = {
        "none": "No hyperparameters interact in their effect on the {found.what}{at_most}.",
        "none with": "No hyperparameter interacts with {found.focus} in its effect on the "
        "{found.what}{at_most}.",
        "short": "{names} {verb} most.",
        "short none": "No hyperparameters interact.",
        "most": "Of {pairs}, {names} {verb} most in their effect on the {found.what}: H is {H}."
        "{larger}",
    }

    pairs: Array
    pairs_std: Array
    absolute: Array
    total: Array
    total_std: Array
    drawn: Array | None = None
    shares: Array | None = None
    focus: str | None = None
    sample_size: int = 0
    seed: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """H of pairs in functions that the trials allow, by label; the largest comes first."""
        if self.drawn is None:
            return super().posterior
        names = tuple(
            f"{self.names[j]} × {self.names[k]}" for j, k in self.members()
        )
        return PosteriorDraws(names, self.drawn[:, self._order])

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
                raise InputError(
                    "first", problem, first, "Ask for the pairs of this one."
                )
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
        return self.names.index(
            check_name(argument, name, self.names, "hyperparameter")
        )

    def half(self, pair: tuple[int, int]) -> float | tuple[float, float]:
        """Return how far H of a pair reaches down and up: its 95 % interval, or its error."""
        if (ends := self._interval(pair)) is None:
            return NORMAL_95 * float(self.pairs_std[pair])
        low, high = ends
        H = float(self.pairs[pair])
        return max(H - low, 0.0), max(high - H, 0.0)

    def members(self) -> list[tuple[int, int]]:
        """Return the pairs as positions in `names`, the one with most interaction first.

        They are ordered by `absolute`: the largest H may be that of a pair that hardly matters.
        """
        known = list(self._places)
        return [known[i] for i in self._order]

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        """Place of each known pair in `drawn` and `shares`."""
        known = np.argwhere(np.triu(~np.isnan(self.pairs), 1))
        return {(j, k): i for i, (j, k) in enumerate(known.tolist())}

    @cached_property
    def _order(self) -> Ints:
        sizes = np.array([self.absolute[pair] for pair in self._places])
        return np.argsort(-sizes, kind="stable")

    def _interval(self, pair: tuple[int, int]) -> tuple[float, float] | None:
        """Return the 95 % interval of H of a pair; None where it was estimated from a sample."""
        return (
            None
            if self.drawn is None
            else interval(self.drawn[:, self._places[pair]])
        )

    @property
    def headline(self) -> str:
        """The pair with most interaction."""
        (first,) = self.claims
        if first.side == "below":
            return self.briefly("short none")
        verb = "interact" if first.certain else "may interact"
        return self.briefly("short", names=first.hyperparameters, verb=verb)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The pair with most interaction, or that there is none."""
        ranking = self.members()
        if not ranking:
            return (replace(self._none(None), certain=True, because=()),)
        if self.shares is None:
            if self.pairs[ranking[0]] == 0.0:
                return (self._none(None),)
            return (self._most(ranking, None, "interact"),)
        each = self.shares[:, self._order]
        most = decide(varying(each.max(axis=1)), MATTERS, side="below")
        found = decide(each[:, 0], INTERACTS, side="above")
        if most.certain and not found.certain:
            return (self._none(most),)
        first = float((each.argmax(axis=1) == 0).mean()) >= LEVEL
        return (
            self._most(
                ranking, found, "interact" if first else "seem to interact"
            ),
        )

    def _none(self, most: Decision | None) -> Claim:
        """Return that there is no interaction, of which the largest is known or not."""
        looked_at = zip(self.names, self.total, strict=True)
        about = tuple(name for name, total in looked_at if not np.isnan(total))
        at_most = ""
        if most is not None:
            percent = max(math.ceil(100.0 * most.bound), 1)
            at_most = (
                f": each pair explains less than {percent}% of its variance"
            )
        claim = self.decided(
            "share",
            about if self.focus is None else (self.focus,),
            most,
            estimate=0.0,
            says="none" if self.focus is None else "none with",
            at_most=at_most,
        )
        return replace(claim, side="below")

    def _most(
        self, ranking: list[tuple[int, int]], found: Decision | None, verb: str
    ) -> Claim:
        """Return which pair interacts most, with its H, and whether it does is certain."""
        j, k = ranking[0]
        H = float(self.pairs[j, k])
        told = filled(
            "{H}", H=Estimate(H, NORMAL_95 * float(self.pairs_std[j, k]))
        )
        ends = self._interval((j, k))
        if found is not None and ends is not None:
            low, high = min(ends[0], H), max(ends[1], H)
            found = replace(found, estimate=H, interval=(low, high))
            told = f"between {low:.2f} and {high:.2f}"
        largest = max(ranking, key=lambda pair: float(self.pairs[pair]))
        larger = ""
        if f"{self.pairs[largest]:.2f}" != f"{H:.2f}":
            both = " and ".join(self.names[i] for i in largest)
            larger = (
                f" H is larger for {both} ({self.pairs[largest]:.2f}), which matter less "
                "together."
            )
        return self.decided(
            "share",
            (self.names[j], self.names[k]),
            found,
            estimate=H,
            says="most",
            H=told,
            verb=verb,
            larger=larger,
            pairs="all pairs"
            if self.focus is None
            else f"all pairs with {self.focus}",
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: members, H, std, absolute; the most interaction first.

        Of functions that the trials allow also the 95 % interval of H, from `lower` to `upper`.
        """
        import pandas as pd

        ranking = self.members()
        held = {
            "H": self.pairs,
            "std": self.pairs_std,
            "absolute": self.absolute,
        }
        columns = {
            name: [values[pair] for pair in ranking]
            for name, values in held.items()
        }
        if self.drawn is not None:
            ends = [interval(H) for H in self.drawn[:, self._order].T]
            columns |= {
                "lower": [low for low, _ in ends],
                "upper": [high for _, high in ends],
            }
        members = [(self.names[j], self.names[k]) for j, k in ranking]
        labels = pd.Index(map(" × ".join, members), name="pair")
        return pd.DataFrame({"members": members, **columns}, index=labels)

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "pairs": [
                {
                    "members": (self.names[j], self.names[k]),
                    "H": self.pairs[j, k],
                    "std": self.pairs_std[j, k],
                    "absolute": self.absolute[j, k],
                    "interval": self._interval((j, k)),
                }
                for j, k in self.members()
            ],
            "total": [
                {"hyperparameter": name, "H": h, "std": std}
                for name, h, std in zip(
                    self.names, self.total, self.total_std, strict=True
                )
            ],
            "focus": self.focus,
            "sample_size": self.sample_size,
            "seed": self.seed,
        }

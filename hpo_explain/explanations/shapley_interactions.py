"""What hyperparameters do together to a prediction, an acquisition or a variance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hpo_explain.base.claim import Claim, between, worth_naming
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import InteractionIndex
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.explanations.set_values import SetValues
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NEGLIGIBLE = 0.1
"""Interactions that are surely a smaller part of the spread of what is explained are none."""

_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShapleyInteractions(Result):
    """Shapley interactions of a prediction or an acquisition, or of the variance of a prediction.

    The values of all sets add up to the difference between what is explained at one configuration
    and its average over the background, or to the variance over the space. A single
    hyperparameter's value is what it does by itself, that of several is what they do together
    beyond that.

    Attributes
    ----------
    of : {"prediction", "acquisition", "variance"}
        What is explained.
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out. Empty for a
        variance.
    index : {"k-SII", "STII", "FSII"}
        How what hyperparameters do together is shared out.
    order : int
        The size of the largest sets.
    total : SetValues
        The values, in the units of what is explained.
    terms : tuple of str
        The terms of which they are sums.
    by_term : ndarray of shape (number of sets, number of terms)
        The values of each term.
    prediction, baseline, efficiency_gap : float
        What is explained, its mean over the background (0 for a variance), and what the values
        miss of their difference.
    spread : float
        The standard deviation of what is explained over the background.
    background_size : int
        Number of background rows; of configurations for a variance.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Bordt, S. and von Luxburg, U. (2023). From Shapley values to generalized additive models
       and back. AISTATS. https://arxiv.org/abs/2209.04012

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.shapley_interactions(table, objective="loss", background=50)
    >>> sorted(found.total.labels)
    ['x', 'x × y', 'y']
    """

    scope: ClassVar[Scope] = "everywhere"
    of: Literal["prediction", "acquisition", "variance"]
    config: Mapping[str, Any]
    index: InteractionIndex
    order: int
    total: SetValues
    terms: tuple[str, ...]
    by_term: Array
    prediction: float
    baseline: float
    efficiency_gap: float
    spread: float
    background_size: int = 0

    @property
    def posterior(self) -> PosteriorDraws:
        """The values of sets for functions drawn from the posterior, by label; the largest first.

        The kernel's parameters are those of the model.
        """
        drawn = self.total.posterior
        return super().posterior if drawn is None else drawn

    def value(self, *names: str) -> float:
        """Return what hyperparameters do together beyond what fewer of them do, or one alone.

        Raises
        ------
        ValueError
            If a name is unknown, or there is no value of these together.
        """
        return self.total.of(*names)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The strongest interactions, or that there is none."""
        total = self.total
        ranking = total.order(range(2, self.order + 1))
        sizes = abs(total.values)
        limit = NEGLIGIBLE * self.spread
        if self.of == "variance":
            limit = limit**2
        halves = {i: total.half(i, len(ranking)) for i in ranking}
        named = worth_naming(ranking, sizes.tolist(), _MAIN_COUNT, float(sizes.sum()))
        small = [i for i in ranking if sizes[i] + (halves[i] or 0.0) <= limit]
        if not named or len(small) == len(ranking):
            unknown = any(half is None and sizes[i] > 0.0 for i, half in halves.items())
            doubts = (
                *([fact("interaction_not_bounded")] if unknown else []),
                *([fact("interactions_may_exist")] if len(small) < len(ranking) else []),
                *self.subject.doubts(self.scope),
            )
            names = tuple(name for player in total.players for name in player)
            return (
                Claim("no_interaction", names, estimate=0.0, certain=not doubts, because=doubts),
            )
        found = [self._claim(i, halves[i]) for i in named]
        certain = [claim for claim in found if claim.certain]
        return tuple(certain or found[:1])

    def _claim(self, i: int, half: float | None) -> Claim:
        names, value = self.total.names(i), float(self.total.values[i])
        here = {name: [self.config[name]] for name in names if name in self.config}
        doubts: list[Fact] = []
        integrated = self.total.half_width
        if half is None:
            doubts.append(fact("interaction_not_bounded"))
        if abs(value) <= (half or 0.0 if integrated is None else max(half or 0.0, integrated[i])):
            doubts.append(fact("interaction_may_be_nothing"))
        doubts += [*self.subject.doubts(self.scope), *self.subject.untried(here)]
        return Claim(
            "interaction",
            names,
            tuple(self.config.get(name) for name in names) if self.config else (),
            estimate=value,
            interval=between(value, half),
            certain=not doubts,
            because=tuple(doubts),
        )

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions."""
        return (*(self.terms if len(self.terms) > 1 else ()), "value")

    def to_frame(self) -> pd.DataFrame:
        """Return one row per set, the largest value first.

        Columns members, order, one of each term where there are several, value, half_width (of
        integrating over the background), model_std.
        """
        several = len(self.terms) > 1
        columns = {t: self.by_term[:, i] for i, t in enumerate(self.terms)} if several else {}
        return self.total.to_frame(**columns)

    def plot_matrix(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw single hyperparameters and pairs as a matrix of colors; return the axes."""
        return self._drawn("matrix", ax, width)

    def plot_waterfall(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the way from the average to the prediction, set by set; return the axes."""
        return self._drawn("waterfall", ax, width)

    def _numbers(self) -> dict[str, Any]:
        return {
            "of": self.of,
            "config": dict(self.config),
            "index": self.index,
            "order": self.order,
            "values": [
                {**one, "terms": dict(zip(self.terms, by_term.tolist(), strict=True))}
                for one, by_term in zip(self.total.to_dict(), self.by_term, strict=True)
            ],
            "prediction": self.prediction,
            "baseline": self.baseline,
            "efficiency_gap": self.efficiency_gap,
            "spread": self.spread,
            "background_size": self.background_size,
        }

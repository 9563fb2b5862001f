"""Where to search on: ranges and categories that may hold the best, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact, fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import CategoricalParameter, CategoryIndex, Parameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd

Stretch: TypeAlias = Literal["kept", "untried"]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was found about one hyperparameter.

    Attributes
    ----------
    hyperparameter : str
        Its name.
    before, after : tuple
        Its values, in the user's units: ``(low, high)``, or the categories; `after` is empty where
        the hyperparameter is left out.
    kept : float
        Share of its own measure that is kept.
    bound : float
        The best objective that a value given up can reach, by an optimistic bound; NaN where
        nothing was given up.
    reached : float
        The best predicted objective of the hyperparameter's branch, which `bound` is worse than;
        NaN where nothing was given up.
    trials : int or None
        The fewest trials near any value given up; None where nothing was.
    tried : bool
        Whether every value given up was tried, as `Support` says it, and at least three quarters of
        each hyperparameter.
    untried : tuple
        What of `after` was hardly tried: ``(low, high)`` of ranges; of a category twice itself.
    reason : Fact
        Why.
    """

    hyperparameter: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    kept: float
    bound: float
    reached: float
    trials: int | None
    tried: bool
    untried: tuple[tuple[Any, Any], ...]
    reason: Fact


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recommendation(Result):
    """A search space without the values with which nothing better can be reached.

    The rules are those of :class:`RecommendedSpaceExplainer`.

    Attributes
    ----------
    space : SearchSpace
        The recommended space, a part of the analysed one.
    rows : tuple of Evidence
        One per hyperparameter of the analysed space.
    level : float
        Certainty of the bounds, in (0, 1).
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Srinivas, N., Krause, A., Kakade, S. and Seeger, M. (2010). Gaussian process
       optimization in the bandit setting. ICML.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(60, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> result = hx.recommended_space(run)
    >>> [claim.hyperparameters for claim in result.claims]
    [('x',)]
    """

    scope: ClassVar[Scope] = "good_region"
    space: SearchSpace
    rows: tuple[Evidence, ...]
    level: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What of each narrowed hyperparameter to keep; all of the space if none is narrowed.

        A claim is certain where all that it gives up was tried, and the model is good enough.
        """
        narrowed = [row for row in self.rows if row.kept < 1.0]
        if not narrowed:
            names = tuple(row.hyperparameter for row in self.rows)
            return (Claim("keep", names, tuple(row.before for row in self.rows), estimate=1.0),)
        believed = self.verdict is not None and self.verdict.level in ("good", "fair")
        return tuple(
            Claim(
                "keep",
                (row.hyperparameter,),
                (row.after,),
                estimate=row.kept,
                certain=row.tried and believed,
                because=(row.reason,),
            )
            for row in narrowed
        )

    def to_optuna(self) -> dict[str, Any]:
        """Return Optuna's distributions of the recommended space: :meth:`SearchSpace.to_optuna`.

        Examples
        --------
        >>> import hpo_explain as hx
        >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
        >>> X = space.sample(60, seed=1)
        >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
        >>> hx.recommended_space(run).to_optuna()["x"].high < 1.0
        True
        """
        return self.space.to_optuna()

    def stretches(self, row: Evidence) -> tuple[tuple[float, float, Stretch], ...]:
        """Return what was found along a hyperparameter, as shares of its own measure.

        Returns
        -------
        tuple of (low, high, "kept" or "untried")
            Where values stay, in ascending order, and whether they were tried.
        """
        whole = self.subject.space[row.hyperparameter]
        if isinstance(whole, CategoricalParameter):
            missing = CategoryIndex([pair[0] for pair in row.untried])
            codes = [whole.code(value) for value in row.after]
            states = [missing(value) is not None for value in row.after]
            k = whole.size
            return tuple(
                (code / k, (code + 1) / k, "untried" if untried else "kept")
                for code, untried in zip(codes, states, strict=True)
            )
        if not row.after:
            return ()
        low, high = share_between(whole, *row.after)
        found: list[tuple[float, float, Stretch]] = []
        for gap in row.untried:
            start, end = share_between(whole, *gap)
            start, end = max(start, low), min(end, high)
            if start > low:
                found.append((low, start, "kept"))
            found.append((start, end, "untried"))
            low = end
        if high > low:
            found.append((low, high, "kept"))
        return tuple(found)

    @property
    def evidence(self) -> pd.DataFrame:
        """One row per hyperparameter: what stays, why, and what of it was hardly tried."""
        import pandas as pd

        rows = [
            {
                **row.__dict__,
                "before": self._text(row.hyperparameter, row.before),
                "after": self._text(row.hyperparameter, row.after),
                "trials": np.nan if row.trials is None else row.trials,
                "untried": self._gaps(row),
                "reason": str(row.reason),
            }
            for row in self.rows
        ]
        return pd.DataFrame(rows).set_index("hyperparameter")

    def _gaps(self, row: Evidence) -> str:
        if not row.untried:
            return ""
        if isinstance(self.subject.space[row.hyperparameter], CategoricalParameter):
            return self._text(row.hyperparameter, tuple(pair[0] for pair in row.untried))
        return ", ".join(self._text(row.hyperparameter, pair) for pair in row.untried)

    def _text(self, name: str, values: tuple[Any, ...]) -> str:
        if not values:
            return ""
        categorical = isinstance(self.subject.space[name], CategoricalParameter)
        return str(fact("categories" if categorical else "range", values=values))

    def to_frame(self) -> pd.DataFrame:
        """Return `evidence`."""
        return self.evidence

    def _numbers(self) -> dict[str, Any]:
        return {
            "space": [{"kind": type(p).__name__, **p.__dict__} for p in self.space.parameters],
            "evidence": [{**row.__dict__, "reason": row.reason.to_dict()} for row in self.rows],
            "level": self.level,
        }


def share_between(whole: Parameter, low: Any, high: Any) -> tuple[float, float]:
    """Return between which shares of a number's own measure a range of values lies."""
    ends = whole.encode([low, high])
    if whole.size is None:
        return float(ends[0]), float(ends[1])
    below, above = whole.share_below(np.array([ends[0] - 1e-7, ends[1] + 1e-7]))
    return float(below), float(above)

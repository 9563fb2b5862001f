"""Where to search on: narrower ranges and no dominated categories, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hpo_explain.diagnostics import Scope
from hpo_explain.explanations.claims import Claim
from hpo_explain.explanations.result import Result
from hpo_explain.facts import Fact, fact
from hpo_explain.space import CategoricalParameter, SearchSpace

if TYPE_CHECKING:
    import pandas as pd


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
    gain : float
        The most that any value given up gains over the good region's bound, as a share of what the
        best value gains; NaN where nothing was given up, and for categories.
    margin : float
        The least by which a category given up was worse than the best one, in the objective's
        units; NaN where none was.
    reason : Fact
        Why.
    """

    hyperparameter: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    kept: float
    gain: float
    margin: float
    reason: Fact


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Recommendation(Result):
    """A search space with narrower ranges and without dominated categories.

    The rules are those of :class:`RecommendedSpaceExplainer`.

    Attributes
    ----------
    space : SearchSpace
        The recommended space, a part of the analysed one.
    rows : tuple of Evidence
        One per hyperparameter of the analysed space.
    bound : float
        The bound of the good region, in the objective's units.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 5 (dominated values), Section 3.3 (good regions).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(300, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> result = hx.recommended_space(run)
    >>> [claim.hyperparameters for claim in result.claims]
    [('x',)]
    """

    scope: ClassVar[Scope] = "good_region"
    space: SearchSpace
    rows: tuple[Evidence, ...]
    bound: float

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What of each narrowed hyperparameter to keep; all of the space if none is narrowed."""
        narrowed = [row for row in self.rows if row.kept < 1.0]
        if not narrowed:
            names = tuple(row.hyperparameter for row in self.rows)
            return (Claim("keep", names, tuple(row.before for row in self.rows), estimate=1.0),)
        return tuple(
            Claim(
                "keep",
                (row.hyperparameter,),
                (row.after,),
                estimate=row.kept,
                because=(row.reason,),
            )
            for row in narrowed
        )

    @property
    def evidence(self) -> pd.DataFrame:
        """One row per hyperparameter: before, after, kept, gain, margin, reason."""
        import pandas as pd

        rows = [
            {
                **row.__dict__,
                "before": self._text(row.hyperparameter, row.before),
                "after": self._text(row.hyperparameter, row.after),
                "reason": str(row.reason),
            }
            for row in self.rows
        ]
        return pd.DataFrame(rows).set_index("hyperparameter")

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
            "bound": self.bound,
        }

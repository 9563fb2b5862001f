"""Where to search on: ranges and categories that may hold the best, with the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import values_in_words
from hpo_explain.base.phrases import counted
from hpo_explain.base.result import Result, Table
from hpo_explain.base.text import declared_fact, filled
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.space import CategoricalParameter, CategoryIndex, Parameter, SearchSpace

Stretch: TypeAlias = Literal["kept", "untried"]

NOTHING = declared_fact("nothing_given_up", "no value can be given up with confidence yet")
WORSE = declared_fact(
    "worse_at_best",
    "given up: {objective} {bound} at best ({level:%} bound), {reached} is reached; at least "
    "{trials_near} near each value",
    trials_near=lambda about: counted(about["near"], "trial"),
)
NEVER_ACTIVE = declared_fact(
    "never_active",
    "left out, because never active in the recommended space{which}",
    which=lambda about: f": {filled('{names}', names=about.names)}" if about.names else "",
)


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
    kept: float = 1.0
    bound: float = np.nan
    reached: float = np.nan
    trials: int | None = None
    tried: bool = True
    untried: tuple[tuple[Any, Any], ...] = ()
    reason: Fact = field(default_factory=NOTHING)


def _each(name: str) -> Callable[[Recommendation], list[Any]]:
    return lambda found: [getattr(row, name) for row in found.rows]


def _written(name: str) -> Callable[[Recommendation], list[str]]:
    return lambda found: [found.text(row.hyperparameter, getattr(row, name)) for row in found.rows]


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
    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "before": _written("before"),
            "after": _written("after"),
            "kept": _each("kept"),
            "bound": _each("bound"),
            "reached": _each("reached"),
            "trials": lambda found: [
                np.nan if row.trials is None else row.trials for row in found.rows
            ],
            "tried": _each("tried"),
            "untried": lambda found: list(map(found.gaps, found.rows)),
            "reason": lambda found: [str(row.reason) for row in found.rows],
        },
        held={
            "space": lambda found: [{"kind": type(p).__name__, **p.__dict__} for p in found.space],
            "evidence": lambda found: [
                {**row.__dict__, "reason": row.reason.to_dict()} for row in found.rows
            ],
            "level": "level",
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "nothing": "No range can be narrowed with confidence yet for a better {objective}.",
        "narrow": "For a better {objective} the search can leave out values of {names}: {left} of "
        "the space remains. This rests on the model's bounds: with the values left out even the "
        "best choice of the others is worse than what is predicted to be best ({level:%} "
        "certainty), with at least {fewest} near each of them.",
        "perhaps": "Perhaps values of {names} can be left out: {left} of the space would remain.",
        "as well": "Perhaps values of {names} can be left out as well.",
    }
    space: SearchSpace
    rows: tuple[Evidence, ...]
    level: float

    @property
    def names(self) -> list[str]:
        """The hyperparameters of the rows."""
        return [row.hyperparameter for row in self.rows]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What of each narrowed hyperparameter to keep; all of the space if none is narrowed.

        A claim is certain where all that it gives up was tried, and the model is good enough.
        """
        narrowed = [row for row in self.rows if row.kept < 1.0]
        if not narrowed:
            before = tuple(row.before for row in self.rows)
            return (Claim("keep", tuple(self.names), before, estimate=1.0),)
        believed = self.subject.trusted(self.scope)
        return tuple(
            Claim(
                "keep", (row.hyperparameter,), (row.after,), estimate=row.kept,
                certain=row.tried and believed, because=(row.reason,),
            )
            for row in narrowed
        )  # fmt: skip

    @property
    def finding(self) -> str:
        """What the search can leave out."""
        told = [claim for claim in self.claims if claim.estimate < 1.0]
        certain = [claim for claim in told if claim.certain]
        doubtful = [claim for claim in told if not claim.certain]
        more = "as well" if certain else "perhaps"
        parts = {"narrow" if certain else "nothing": certain, more: doubtful}
        fewest = min((row.trials for row in self.rows if row.trials is not None), default=0)
        return " ".join(
            filled(
                self.says[part],
                objective=self.objective_name,
                names=[claim.hyperparameters[0] for claim in claims],
                left=f"{100.0 * math.prod(claim.estimate for claim in claims):.2g}%",
                level=self.level,
                fewest=counted(fewest, "trial"),
            )
            for part, claims in parts.items()
            if claims or part == "nothing"
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
        found: list[tuple[float, float, Stretch]] = []
        if isinstance(whole, CategoricalParameter):
            missing, k = CategoryIndex([pair[0] for pair in row.untried]), whole.size
            for value in row.after:
                code, tried = whole.code(value), missing(value) is None
                found.append((code / k, (code + 1) / k, "kept" if tried else "untried"))
            return tuple(found)
        if not row.after:
            return ()
        low, high = share_between(whole, *row.after)
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

    def gaps(self, row: Evidence) -> str:
        """Return what was hardly tried, in words."""
        name = row.hyperparameter
        if isinstance(self.subject.space[name], CategoricalParameter):
            return self.text(name, tuple(pair[0] for pair in row.untried))
        return ", ".join(self.text(name, pair) for pair in row.untried)

    def text(self, name: str, values: tuple[Any, ...]) -> str:
        """Return a range or categories in words: "[0.1, 1]" or "{a, b}"."""
        if not values:
            return ""
        words = values_in_words(values)
        categorical = isinstance(self.subject.space[name], CategoricalParameter)
        return f"{{{words}}}" if categorical else f"[{words}]"


def share_between(whole: Parameter, low: Any, high: Any) -> tuple[float, float]:
    """Return between which shares of a number's own measure a range of values lies."""
    ends = whole.encode([low, high])
    if whole.size is None:
        return float(ends[0]), float(ends[1])
    below, above = whole.share_below(np.array([ends[0] - 1e-7, ends[1] + 1e-7]))
    return float(below), float(above)

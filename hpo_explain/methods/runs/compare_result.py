"""Several runs side by side: what matters in each, where the good values are, what is a default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    DRAWS,
    MOST_NAMED,
    Claim,
    PosteriorDraws,
    Result,
    Table,
    attributes,
    format_value,
    listed,
    shorten,
)
from hpo_explain.belief import MATTERS, decide, equally_many, in_own_order, interval
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.space import Array, Ints


@dataclass(frozen=True, eq=False)
class Default:
    """One configuration for all runs, and what it loses in each.

    Attributes
    ----------
    configuration : mapping of str to object
        The values of the shared hyperparameters.
    loss : ndarray of shape (R,)
        How much worse than the best configuration of each run it is, on average over the functions
        that the trials allow: as a share of how much worse an average configuration is.
    draws : ndarray of shape (number of draws, R)
        What it loses in each of these functions.
    """

    configuration: Mapping[str, Any]
    loss: Array
    draws: Array

    @property
    def upper(self) -> Array:
        """What it loses in each run at most with a probability of 95 %, (R,); NaN if unknown."""
        if len(self.draws) < 2:
            return np.full(len(self.loss), np.nan)
        return np.quantile(self.draws, 0.95, axis=0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Several runs side by side, in their common hyperparameters.

    Attributes
    ----------
    runs : tuple of str
        What the R runs are called.
    importances : tuple of FanovaImportance
        What matters in each.
    grid : tuple of tuple
        Values of each of the d shared hyperparameters, in the user's units.
    effects : tuple of ndarray of shape (R, G)
        Mean prediction at each of them: 0 at the run's best configuration, 1 on average over the
        space; NaN where it is never active.
    went : ndarray of shape (R, d, 3)
        Lower quartile, median and upper quartile of the values in the later half of each run's
        trials, on the hyperparameter's shared scale from 0 to 1; NaN of categories.
    default : Default
        The configuration that is best on average over the runs.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 3.3 (several instances).
    .. [2] van Rijn, J. N. and Hutter, F. (2018). Hyperparameter importance across datasets. KDD.
       https://doi.org/10.1145/3219819.3220058
    .. [3] Probst, P., Boulesteix, A.-L. and Bischl, B. (2019). Tunability: Importance of
       hyperparameters of machine learning algorithms. JMLR 20 (53), Section 3 (defaults over
       data sets).

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40)
    >>> runs = {
    ...     "one": hx.Run(space, X, (X[:, 0] - 0.3) ** 2, "minimize"),
    ...     "two": hx.Run(space, X, (X[:, 0] - 0.4) ** 2 + X[:, 1], "minimize"),
    ... }
    >>> found = hx.compare(runs)
    >>> found.shares.shape, bool(found.shares[0, 0] > 0.9)
    ((2, 2), True)
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={},
        order="order",
        held=attributes(
            "runs",
            "names",
            "shares",
            "grid",
            "effects",
            "went",
            intervals="bounds",
            default=lambda result: result.default.configuration,
            default_loss=lambda result: result.default.loss,
            default_upper=lambda result: result.default.upper,
        ),
    )
    runs: tuple[str, ...]
    importances: tuple[FanovaImportance, ...]
    grid: tuple[tuple[Any, ...], ...]
    effects: tuple[Array, ...]
    went: Array
    default: Default

    # ------------------------------------------------------------------ numbers

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters that all runs have."""
        return self.subject.names

    @cached_property
    def shares(self) -> Array:
        """Share of each hyperparameter, alone, in the variance of each run, (R, d)."""
        return np.array([[i.share(name) for name in self.names] for i in self.importances])

    @property
    def posterior(self) -> PosteriorDraws:
        """The mean shares over the runs, by hyperparameter, for functions drawn in runs drawn anew.

        As many runs are drawn as there are, with replacement, and a function from the posterior of
        each: what differs between runs counts as well as what their trials leave open.
        """
        if len(self._drawn[0]) < 2:
            return super().posterior
        in_order = [self._drawn[0][:, r] for r in np.argsort(self.runs)]
        n, rng = DRAWS, np.random.default_rng(0)
        runs = rng.integers(len(in_order), size=(n, len(in_order)))
        each = np.stack([shares[rng.integers(len(shares), size=runs.shape)] for shares in in_order])
        values = np.take_along_axis(each, runs[None, :, :, None], axis=0)[0].mean(axis=1)
        return PosteriorDraws(self.names, values)

    @property
    def bounds(self) -> Array:
        """Ends of the 95 % interval of each share, (R, d, 2); NaN where they are not known."""
        return np.array(
            [[i.bounds(i.names.index(name)) for name in self.names] for i in self.importances]
        )

    @cached_property
    def _drawn(self) -> tuple[Array, Array]:
        """Shares alone and in all, each (number of functions, R, d)."""
        alone, totals, names = [], [], sorted(self.runs)
        for run, importance in zip(self.runs, self.importances, strict=True):
            columns = [importance.names.index(name) for name in self.names]
            place = names.index(run)
            own, matters = importance.functions, importance.mattering
            alone.append(in_own_order(own[:, columns], place))
            totals.append(in_own_order(matters[:, columns], place))
        return (np.stack(equally_many(alone), axis=1), np.stack(equally_many(totals), axis=1))

    @property
    def spread(self) -> Array:
        """Standard deviation of the shares over the runs, (d,)."""
        return self.shares.std(axis=0, ddof=1)

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by hyperparameter: mean share, std over runs, each run's, the default."""
        of_runs = zip(self.runs, self.shares, strict=True)
        default = self.default.configuration
        return {
            "mean": self.shares.mean(axis=0),
            "std": self.spread,
            **{f"share in {run}": share for run, share in of_runs},
            "default": [default.get(name) for name in self.names],
        }

    def order(self) -> Ints:
        """Return the positions of the hyperparameters, the largest mean share first."""
        return np.argsort(-self.shares.mean(axis=0), kind="stable")

    # ------------------------------------------------------------------ what it says

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters in all runs, what in some only, and one configuration for all."""
        return (*self._everywhere(), *self._differing(), self._default())

    @property
    def all_runs(self) -> str:
        """The runs in words: "both runs", "all 3 runs"."""
        return "both runs" if len(self.runs) == 2 else f"all {len(self.runs)} runs"

    @property
    def finding(self) -> str:
        """What matters in all runs, what differs, and which configuration is good in all."""
        if any(claim.certain for claim in self._everywhere()):
            return super().finding
        return f"No hyperparameter is known to matter in {self.all_runs}. {super().finding}"

    def _everywhere(self) -> list[Claim]:
        """Return what explains a share of the variance in every run, the largest first."""
        mean, claims = self.shares.mean(axis=0), list[Claim]()
        alone, totals = self._drawn
        for j in np.argsort(-mean, kind="stable").tolist():
            decision = decide(totals[:, :, j].min(axis=1), MATTERS, side="above")
            if not decision.certain:
                continue
            least = alone[:, :, j].min(axis=1)
            shown = replace(decision, estimate=float(least.mean()), interval=interval(least))
            text = f"{self.names[j]} ({mean[j]:.0%} of the variance on average)"
            claims.append(
                shown.claim(
                    "share",
                    (self.names[j],),
                    frame=f"What matters in {self.all_runs}: {{each}}.",
                    text=text * (len(claims) < MOST_NAMED),
                )
            )
        return claims

    def _differing(self) -> list[Claim]:
        """Return the hyperparameters whose shares differ between runs, the most first."""
        differences = []
        for j, alone in enumerate(np.moveaxis(self._drawn[0], -1, 0)):
            most, least = (int(np.argmax(self.shares[:, j])), int(np.argmin(self.shares[:, j])))
            decision = decide(alone[:, most] - alone[:, least], side="above")
            if decision.certain and decision.estimate > MATTERS:
                differences.append((decision, j, most, least))
        differences.sort(key=lambda one: -one[0].estimate)
        claims = list[Claim]()
        for decision, j, m, n in differences:
            name, first, last = self.names[j], self.runs[m], self.runs[n]
            high, low = self.shares[m, j], self.shares[n, j]
            text = f"{name} matters more in {first} ({high:.0%}) than in {last} ({low:.0%})."
            values = ((first, last),)
            claims.append(
                decision.claim("difference", (name,), values=values, text=text * (not claims))
            )
        return claims

    def _default(self) -> Claim:
        default = self.default
        config = default.configuration
        worst = decide(default.draws.max(axis=1), 1.0, side="below")
        text = f"No configuration is known to be good in {self.all_runs}."
        if worst.certain:
            shown = [f"{name} = {format_value(value)}" for name, value in config.items()]
            text = (
                f"One configuration for all, {shorten(listed(shown), 200)}, loses "
                f"{default.loss.mean():.0%} of what tuning gains over an average configuration (at "
                f"most {default.upper.max():.0%} in any run)."
            )
        claim = worst.claim("keep", tuple(config), values=tuple(config.values()), text=text)
        return replace(claim, side="above")

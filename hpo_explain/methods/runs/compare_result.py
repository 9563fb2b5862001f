"""Several runs side by side: what matters in each, where the good values are, what is a default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import format_value, normal_quantile
from hpo_explain.base.phrases import listed
from hpo_explain.base.posterior import DRAWS, PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import declared_fact
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

MATTERS = 0.05
"""Least share of the variance of what is called to matter."""
_APART = 2.772  # standard errors by which estimates differ whose 95 % intervals do not meet
_LEVEL = 0.05
_MOST_NAMED, _MOST_VALUES = 3, 8

_NOT_TRUSTED = declared_fact(
    "runs_not_trusted", "the model predicts badly, or it is not known how well, in {names}"
)
_MAY_BE_BAD = declared_fact(
    "default_may_be_bad", "the best one for all may be no better than an average one in some"
)
_NOT_TRIED = declared_fact("default_not_tried", "hardly any trial has such values in {names}")


@dataclass(frozen=True, eq=False)
class Default:
    """One configuration for all runs, and what it loses in each.

    Attributes
    ----------
    configuration : mapping of str to object
        The values of the shared hyperparameters.
    loss, upper : ndarray of shape (R,)
        How much worse than the best configuration of each run its model predicts it to be, and the
        95 % upper bound of that (simultaneous over the runs): as a share of how much worse an
        average configuration is.
    tried : ndarray of bool, shape (R,)
        Whether trials of each run are near it.
    drawn : ndarray of shape (number of draws, R) or None
        What it loses in functions drawn from the posterior of each run's model; None where one has
        no joint posterior.
    """

    configuration: Mapping[str, Any]
    loss: Array
    upper: Array
    tried: npt.NDArray[np.bool_]
    drawn: Array | None = None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Several runs side by side, in the hyperparameters that all have.

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
    incumbents : tuple of mapping
        The best configuration of each run.
    went : ndarray of shape (R, d, 3)
        Lower quartile, median and upper quartile of the values in the later half of each run's
        trials, on the hyperparameter's shared scale from 0 to 1; NaN of categories.
    default : Default
        The configuration that is best on average over the runs.
    same_space : bool
        Whether all runs have the same search space.
    trusted : tuple of bool
        Whether the model of each run is good enough to be certain of what it says of the space.

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

    scope: ClassVar[Scope] = "everywhere"
    table: ClassVar[Table] = Table(
        columns={},
        held={
            **{name: name for name in ("runs", "names", "shares", "grid", "effects", "went")},
            "intervals": "bounds",
            "incumbents": lambda found: [dict(incumbent) for incumbent in found.incumbents],
            "default": lambda found: dict(found.default.configuration),
            "default_loss": lambda found: found.default.loss,
            "default_upper": lambda found: found.default.upper,
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "everywhere": "What matters in {found.all_runs}: {each}. | {names} ({mean:%} of the "
        "variance on average, at least {least:%} in each)",
        "differs": "{names} matters more in {most} ({high:%}) than in {least} ({low:%}).",
        "default": "One configuration for all, {values}, loses {loss:%} of what tuning gains over "
        "an average configuration on average, and at most {upper:%} in each.",
        "none": "No configuration is known to be good in {found.all_runs}.",
    }

    runs: tuple[str, ...]
    importances: tuple[FanovaImportance, ...]
    grid: tuple[tuple[Any, ...], ...]
    effects: tuple[Array, ...]
    incumbents: tuple[Mapping[str, Any], ...]
    went: Array
    default: Default
    same_space: bool = True
    trusted: tuple[bool, ...] = field(default=())

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
        if any(importance.rows != "draws" for importance in self.importances):
            return super().posterior
        drawn = [
            importance.shares[:, [importance.names.index(name) for name in self.names]]
            for importance in [self.importances[r] for r in np.argsort(self.runs)]
        ]
        n, rng = self.subject.draws or DRAWS, np.random.default_rng(0)
        runs = rng.integers(len(drawn), size=(n, len(drawn)))
        each = np.stack([shares[rng.integers(len(shares), size=runs.shape)] for shares in drawn])
        values = np.take_along_axis(each, runs[None, :, :, None], axis=0)[0].mean(axis=1)
        return PosteriorDraws(self.names, values)

    @property
    def default_posterior(self) -> PosteriorDraws:
        """What the default loses in each run, by its name, for functions drawn; the least first.

        In the units of :attr:`Default.loss`. The mean of a row is that over the runs, and its
        quantiles are what it loses over these runs.

        Raises
        ------
        NothingToExplain
            If the model of a run has no joint posterior.
        """
        if self.default.drawn is None:
            return super().posterior
        return PosteriorDraws(self.runs, self.default.drawn, "smallest")

    @cached_property
    def bounds(self) -> Array:
        """Ends of the 95 % interval of each share, (R, d, 2); NaN where they are not known."""
        found = np.full((*self.shares.shape, 2), np.nan)
        for r, importance in enumerate(self.importances):
            for j, name in enumerate(self.names):
                bounds = importance.bounds(importance.names.index(name))
                if bounds is not None:
                    found[r, j] = bounds
        return found

    @property
    def spread(self) -> Array:
        """Standard deviation of the shares over the runs, (d,)."""
        return np.asarray(self.shares.std(axis=0, ddof=1))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter: mean share, std over runs, each run's, the default."""
        import pandas as pd

        frame = pd.DataFrame(
            {"mean": self.shares.mean(axis=0), "std": self.spread}
            | {f"share in {run}": share for run, share in zip(self.runs, self.shares, strict=True)},
            index=pd.Index(self.names, name="hyperparameter"),
        )
        frame["default"] = [self.default.configuration.get(name) for name in self.names]
        return frame.sort_values("mean", ascending=False, kind="stable")

    def effects_frame(self) -> pd.DataFrame:
        """Return one row per hyperparameter and value: the mean loss over runs, std, each run's."""
        import pandas as pd

        rows = []
        for name, values, effect in zip(self.names, self.grid, self.effects, strict=True):
            for g, value in enumerate(values):
                column = effect[:, g]
                rows.append(
                    {
                        "hyperparameter": name,
                        "value": value,
                        "mean": column.mean(),
                        "std": column.std(ddof=1),
                        **{f"loss in {run}": e for run, e in zip(self.runs, column, strict=True)},
                    }
                )
        return pd.DataFrame(rows)

    def plot_effects(self, ax: Axes | None = None, *, width: float | None = None) -> Any:
        """Draw each hyperparameter's effect in each run, and where the optimizers went.

        Parameters
        ----------
        ax, width
            As of :meth:`plot`.
        """
        return self.plot(ax, view="effects", width=width)

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
        if self._everywhere():
            return super().finding
        return f"No hyperparameter is known to matter in {self.all_runs}. {super().finding}"

    def _doubts(self, rows: Sequence[int]) -> tuple[Fact, ...]:
        unsure = [self.runs[r] for r in rows if not self.trusted[r]]
        return (_NOT_TRUSTED(names=unsure),) if unsure else ()

    def _everywhere(self) -> list[Claim]:
        """Return what explains a share of the variance in every run, the largest first."""
        lower = np.nan_to_num(self.bounds[:, :, 0]).min(axis=0)
        mean = self.shares.mean(axis=0)
        doubts = self._doubts(range(len(self.runs)))
        order = [j for j in np.argsort(-mean, kind="stable").tolist() if lower[j] > MATTERS]
        return [
            self.told(
                "everywhere", (self.names[j],), float(mean[j]),
                (float(lower[j]), float(np.nanmax(self.bounds[:, j, 1]))), certain=not doubts,
                says="everywhere" if place < _MOST_NAMED else "", because=doubts, mean=mean[j],
                least=lower[j],
            )
            for place, j in enumerate(order)
        ]  # fmt: skip

    def _differing(self) -> list[Claim]:
        """Return the hyperparameters whose shares differ between runs beyond their intervals."""
        found = []
        pairs = len(self.runs) * (len(self.runs) - 1) / 2 * len(self.names)
        wider = max(1.0, normal_quantile(1.0 - _LEVEL / (2.0 * pairs)) / _APART)
        lower = self.shares - wider * (self.shares - self.bounds[:, :, 0])
        upper = self.shares + wider * (self.bounds[:, :, 1] - self.shares)
        for j in range(len(self.names)):
            if np.isnan(lower[:, j]).any():
                continue
            most, least = int(np.argmax(lower[:, j])), int(np.argmin(upper[:, j]))
            gap = float(lower[most, j] - upper[least, j])
            if gap <= 0.0 or most == least:
                continue
            found.append((j, most, least, (gap, float(upper[most, j] - lower[least, j]))))
        found.sort(key=lambda one: float(self.shares[one[2], one[0]] - self.shares[one[1], one[0]]))
        return [self._differs(*one, told=not place) for place, one in enumerate(found)]

    def _differs(
        self, j: int, most: int, least: int, interval: tuple[float, float], *, told: bool
    ) -> Claim:
        ends, doubts = (self.runs[most], self.runs[least]), self._doubts([most, least])
        high, low = (float(self.shares[r, j]) for r in (most, least))
        return self.told(
            "shares_differ", (self.names[j],), high - low, interval, values=(ends,),
            says="differs" if told else "", certain=not doubts, because=doubts, most=ends[0],
            least=ends[1], high=high, low=low,
        )  # fmt: skip

    def _default(self) -> Claim:
        default = self.default
        doubts = self._doubts(range(len(self.runs)))
        if not default.upper.max() < 1.0:
            doubts = (*doubts, _MAY_BE_BAD())
        far = [run for run, near in zip(self.runs, default.tried.tolist(), strict=True) if not near]
        if far:
            doubts = (*doubts, _NOT_TRIED(names=far))
        given, loss = default.configuration, float(default.loss.mean())
        shown = [f"{name} = {format_value(value)}" for name, value in given.items()]
        frame, text = self.words(
            "none" if doubts else "default", values=listed(shown, _MOST_VALUES), loss=loss,
            upper=float(default.upper.max()),
        )  # fmt: skip
        return Claim(
            "default", tuple(given), tuple(given.values()), loss,
            (0.0, float(default.upper.max())), not doubts, doubts, text=text, frame=frame,
        )  # fmt: skip

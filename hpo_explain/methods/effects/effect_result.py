"""What one or two hyperparameters do to the objective, and what can be said of it.

A claim is certain if the model's uncertainty allows it (`Contrasts`), if the model predicts trials
that it has not seen (over the whole space, and within the branch of a conditional hyperparameter),
and if the values it rules out were tried.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_fraction
from hpo_explain.base.claim import between
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.numbers import (
    ROUNDED_95,
    format_level,
    format_value,
    half_of_level,
    plus_minus,
)
from hpo_explain.base.phrases import listed
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.result import Claim, Result, Table
from hpo_explain.base.text import declared_fact
from hpo_explain.diagnostics._narrow import Branch
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.methods._engines.attainable import Attainable
from hpo_explain.methods._engines.contrasts import Contrasts
from hpo_explain.methods.effects.effect_ranges import kept_values, range_of, span, where_best
from hpo_explain.run.feasibility import PROBABLE
from hpo_explain.space import Array, CategoricalParameter, category_index

Mask = npt.NDArray[np.bool_]
FLAT = 0.2
"""A range of means below this share of the prediction's std makes no difference: with effects
spread evenly, less than 0.4 % of the variance."""
_ROUNDING = 1e-12  # of the level: below, no value is better than another
_MOST_NAMED = 3

FLAT_WITHIN = declared_fact("flat_within", "differences are below {bound}", role="said")
_OPEN = declared_fact("no_value_ruled_out", "no value can be told from the best", role="said")
_NONE_FEASIBLE = declared_fact("nothing_feasible", "no value is probably feasible")
_HARDLY_TRIED = declared_fact(
    "hardly_tried", "hardly tried, so not ruled out: {names} = {gaps}", role="basis",
    gaps=lambda told: listed([span(*ends) for ends in told["gaps"]], _MOST_NAMED),
)  # fmt: skip
_INFEASIBLE = declared_fact(
    "probably_infeasible", "probably infeasible, so not the best: {names} = {values}", role="basis",
    values=lambda told: listed([*map(format_value, told["values"])], 5),
)  # fmt: skip
_BRANCH = "judged on the {n} trials in which {names} {r2}"


def _active(told: Fact) -> str:
    known = f", held-out R² {told['r2']:.2f}" if np.isfinite(told["r2"]) else ""
    return f"{'is' if len(told.names) == 1 else 'are'} active{known}"


_SMALL_BRANCH = declared_fact("branch_too_small", _BRANCH, r2=_active)
_IN_BRANCH = declared_fact("judged_in_branch", _BRANCH, role="basis", r2=_active)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Effect(Result):
    """The effect of one or two hyperparameters on a grid of their values.

    Attributes
    ----------
    kind : {"average", "attainable", "accumulated", "marginal"}
        Averaged over all others (partial dependence), with the others at their best, accumulated
        along the configurations tried, or a forest's (or drawn functions') exact average.
    names : tuple of str
        The hyperparameters, one or two.
    grid : tuple
        Values in the user's units; of two hyperparameters a pair of axes.
    positions : tuple of ndarray
        The encoded positions of each axis.
    mean, std : ndarray of shape (G,) or (G1, G2)
        The effect and its standard deviation, in the objective's units; NaN where there is none.
    supported : ndarray of bool, of the shape of `mean`
        Where at least three trials are near (of a pair, one near both); everywhere True where the
        trials are not known.
    ice_mean, ice_std : ndarray of shape (n, G) or (n, G1, G2), or None
        Prediction and its std of each configuration of the sample; NaN where it is not valid.
    covariance : ndarray of shape (K, K) or None
        Covariance of the effect between the K places of the grid, the last axis fastest.
    joint : bool
        Whether that is the covariance of a posterior, and not one over trees.
    variance : {"average", "covariance", ""}
        Whether std² averages pointwise variances (Eq. 5) or is that of the average (Eq. 4).
    exact : bool
        Whether the mean integrates over the space exactly rather than over the sample.
    branch : Branch or None
        The trials of a conditional hyperparameter's branch.
    feasible : ndarray of the shape of `mean`, or None
        Highest probability of being feasible over the sample; None without constraints.
    attainable : Attainable or None
        The best over all others at each value, where it was asked for.
    partial : ndarray of shape (G,) or None
        Beside accumulated effects: the partial dependence, centred likewise.
    scale : float
        Standard deviation of the prediction over the sample.
    sample_size : int
        Number of configurations whose local effects are accumulated.
    tried : tuple of tuple
        The observed trials' values, one tuple per hyperparameter.
    activity : tuple of float
        Of a marginal: the share of the space in which each is active.
    rows, given, drawn
        Of a marginal: what its std is over ("trees" or "draws"), the sub-space that it is
        restricted to, and the marginal of each function drawn, (G, draws) or (G1, G2, draws).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> effect = hx.partial_dependence(table, "x", objective="loss", sample=10)
    >>> effect.mean.shape, effect.ice_mean.shape
    ((20,), (10, 20))
    """

    scope: ClassVar[Scope] = "everywhere"
    table: ClassVar[Table] = Table(
        keys="keys",
        columns={
            "mean": "mean",
            "std": "std",
            "lower": lambda found: None if found.kind == "marginal" else found.band()[0],
            "upper": lambda found: None if found.kind == "marginal" else found.band()[1],
            "tried": lambda found: None if found.kind == "marginal" else found.supported,
            "best": lambda found: found.best if found.compared else None,
            "partial_dependence": "partial",
            "feasible": "feasible",
            "attainable": lambda found: found.attainable and found.attainable.mean,
            "attainable_std": lambda found: found.attainable and found.attainable.std,
        },
        held={
            **{name: name for name in ("kind", "names", "mean", "std", "variance", "supported")},
            "grid": "axes",
            "best": lambda found: found.best if found.compared else None,
            "partial_dependence": "partial",
            "feasible": "feasible",
            "attainable": lambda found: found.attainable and asdict(found.attainable),
            "branch": lambda found: found.branch and found.branch.to_dict(),
            "mean_confidence": "mean_confidence",
            "sample_size": "sample_size",
            "incumbent": "incumbent",
            "activity": "activity",
            "given": "given",
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "best": "{found.lead} is best at {where}: {level}.",
        "open": "{found.lead} is {level} at best; no value of {any} is ruled out.",
        "flat": "{found.lead} is {level} for every value of {names}.",
        "same": "{found.lead} is the same for every value of {names}.",
        "at": "{found.lead} is best at {where}.",
        "together": "Along the trials {names} act together: their sum misses {level}.",
        "perhaps": "Along the trials {names} may act together: their sum misses {level}.",
        "apart": "Along the trials {names} do not act together: their sum misses at most {level}.",
    }

    kind: Literal["average", "attainable", "accumulated", "marginal"] = "average"
    names: tuple[str, ...]
    grid: tuple[Any, ...]
    positions: tuple[Array, ...]
    mean: Array
    std: Array
    supported: Mask
    ice_mean: Array | None = None
    ice_std: Array | None = None
    covariance: Array | None = None
    joint: bool = False
    variance: str = ""
    exact: bool = False
    branch: Branch | None = None
    feasible: Array | None = None
    attainable: Attainable | None = None
    partial: Array | None = None
    scale: float = float("nan")
    sample_size: int = 0
    tried: tuple[tuple[Any, ...], ...] = ()
    activity: tuple[float, ...] = ()
    rows: str = ""
    given: Mapping[str, list[Any]] = field(default_factory=dict)
    drawn: Array | None = None

    # ------------------------------------------------------------------ on its axes

    @property
    def axes(self) -> tuple[tuple[Any, ...], ...]:
        """The values of each hyperparameter, one tuple per axis."""
        return (self.grid,) if len(self.names) == 1 else self.grid

    @property
    def log(self) -> tuple[bool, ...]:
        """Whether each hyperparameter's own scale is logarithmic."""
        return tuple(getattr(self.subject.space[name], "log", False) for name in self.names)

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Whether each hyperparameter is categorical."""
        space = self.subject.space
        return tuple(isinstance(space[name], CategoricalParameter) for name in self.names)

    @property
    def keys(self) -> Iterator[tuple[str, npt.NDArray[Any]]]:
        """The hyperparameters' values by row of the table; None, which may be a category, stays."""
        columns = zip(*itertools.product(*self.axes), strict=True)
        for name, values, named in zip(self.names, columns, self.categorical, strict=True):
            column = np.empty(len(values), dtype=object)
            column[:] = values
            yield name, column if named else np.array(values)

    @property
    def compared(self) -> bool:
        """Whether values are compared: not those of a marginal, nor what is left of a pair."""
        return self.kind != "marginal" and (self.kind != "accumulated" or len(self.names) == 1)

    @property
    def incumbent(self) -> tuple[Any, ...] | None:
        """The incumbent's values, if it has all of them."""
        known = self.subject.incumbent
        return tuple(known[n] for n in self.names) if set(self.names) <= set(known) else None

    @property
    def spread(self) -> float:
        """How large the effect is: the range of the mean, in the objective's units."""
        return float(np.nanmax(self.mean) - np.nanmin(self.mean))

    def band(self, level: float = 0.95) -> tuple[Array, Array]:
        """Return lower and upper end of the band in which the function's effect is expected.

        It describes the function, observation noise excluded.

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        half = half_of_level(check_fraction("level", level)) * self.std
        return self.mean - half, self.mean + half

    @property
    def posterior(self) -> PosteriorDraws:
        """The whole effect for functions drawn from the posterior, by value; better comes first.

        Of a pair by pairs of values. The kernel's parameters are those of the model.
        """
        names = [*itertools.product(*self.axes)] if len(self.names) > 1 else [*self.axes[0]]
        first: Any = "smallest" if self.subject.lower_is_better else "largest"
        if self.drawn is not None:
            return PosteriorDraws(tuple(names), self.drawn.reshape(len(names), -1).T, first)
        if not self.joint or self.covariance is None:
            return super().posterior
        mean, known = self.mean.ravel(), ~np.isnan(np.diag(self.covariance))
        return PosteriorDraws.of_normal(
            list(itertools.compress(names, known)), mean[known],
            self.covariance[np.ix_(known, known)], first=first, draws=self.subject.draws,
        )  # fmt: skip

    # ------------------------------------------------------------------ how well it is known

    @property
    def mean_confidence(self) -> float:
        """MC: the mean of the std over the grid; smaller is more certain."""
        return float(np.nanmean(self.std))

    def confidence_at(self, config: Mapping[str, Any]) -> float:
        """OC: the std at the grid point closest to a configuration, in the objective's units.

        Raises
        ------
        ValueError
            If the configuration lacks one of the hyperparameters.
        """
        return float(self.std[self._place(config)])

    def _place(self, config: Mapping[str, Any]) -> tuple[int, ...]:
        for name in self.names:
            if name not in config:
                there = ", ".join(map(str, config)) or "none"
                problem = f"must have a value of {name}, but has only {there}"
                remedy = f"Choose a configuration in which {name} is active."
                raise InputError("config", problem, config, remedy)
        return tuple(self._nearest(i, config[name]) for i, name in enumerate(self.names))

    def _nearest(self, i: int, value: Any) -> int:
        values = self.axes[i]
        if not self.categorical[i]:
            scale = np.log if self.log[i] else np.asarray
            distances = np.abs(scale(np.array(values, dtype=float)) - scale(float(value)))
            return int(np.argmin(distances))
        found = category_index(values, value)
        if found is None:
            problem = f"has {self.names[i]} = {value!r}, which is not one of {list(values)!r}"
            raise InputError("config", problem, value)
        return found

    def negative_log_likelihood(self, true: npt.ArrayLike | Callable[..., float]) -> float:
        """NLL of a known truth: the mean over the grid of ``-log N(true; mean, std²)``.

        In nats; infinite where the band has no width but misses the truth. The truth is an array
        of the shape of `mean`, or a function of the hyperparameters' values.
        """
        if callable(true):
            true = np.reshape([true(*v) for v in itertools.product(*self.axes)], self.mean.shape)
        gap = np.asarray(true, dtype=float) - self.mean
        if gap.shape != self.mean.shape:
            problem = f"must have the shape of the grid, {self.mean.shape}, but had "
            raise InputError("true", f"{problem}{np.shape(true)}", true)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(gap == 0.0, 0.0, gap / self.std)
            terms = 0.5 * np.log(2.0 * np.pi) + np.log(self.std) + 0.5 * z**2
        return float(np.nanmean(np.where((self.std == 0.0) & (gap != 0.0), np.inf, terms)))

    # ------------------------------------------------------------------ which values are best

    @property
    def may_be_best(self) -> Mask:
        """Which values are rather feasible than not, of the shape of `mean`."""
        if self.feasible is None:
            return np.ones(self.mean.shape, dtype=bool)
        return np.asarray(self.feasible >= PROBABLE)

    @cached_property
    def contrasts(self) -> Contrasts:
        """Differences between the places of the grid; without any spread if it is not known.

        A place that was tried and is probably infeasible is no candidate.
        """
        k = self.mean.size
        cost = self.mean.ravel() if self.subject.lower_is_better else -self.mean.ravel()
        covariance = np.zeros((k, k)) if self.covariance is None else self.covariance
        tried = self.supported.ravel()
        if self.feasible is not None and self.may_be_best.any():
            out = tried & ~self.may_be_best.ravel()
            cost = np.where(out, np.nan, cost)
            covariance = np.where(out[:, None] | out, np.nan, covariance)
        return Contrasts(cost, covariance, tried)

    @property
    def best(self) -> Mask:
        """Which values cannot be told from the best, (G,) or (G1, G2), 95 % simultaneous.

        Values that were not tried are among them. Without a covariance only the best itself is.
        """
        if self.covariance is None:
            only = np.arange(self.mean.size) == self.contrasts.place
            return np.asarray(only.reshape(self.mean.shape))
        return self.contrasts.best.reshape(self.mean.shape)

    @property
    def shown(self) -> Mask:
        """Where the effect may be relied on: it was tried, and is rather feasible than not."""
        return np.asarray(self.supported & self.may_be_best)

    @property
    def reached(self) -> Effect | None:
        """The same with all others at their best, where that was asked for."""
        best = self.attainable
        if best is None or np.isnan(best.mean).all():
            return None
        return replace(
            self, kind="attainable", mean=best.mean, std=best.std, covariance=best.covariance,
            attainable=None, scale=self._scale, ice_mean=None, ice_std=None,
        )  # fmt: skip

    @property
    def _scale(self) -> float:
        return self.scale if self.ice_mean is None else float(np.nanstd(self.ice_mean))

    # ------------------------------------------------------------------ what is said

    @property
    def lead(self) -> str:
        """How a sentence about it begins."""
        objective = f"the {self.subject.objective_name}"
        return {
            "average": f"On average {objective}",
            "attainable": f"With all others at their best {objective}",
            "accumulated": f"Along the trials, relative to their average, {objective}",
            "marginal": f"On average the predicted {self.subject.objective_name}",
        }[self.kind]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which values cannot be told from the best on average, or that there is no effect.

        Then by how much the best value is better than the worst, where that is known; and both of
        what is attainable (``term="attainable"``), where it was asked for. Of a pair's accumulated
        effects whether both act together; of a marginal only where it is best.
        """
        if self.kind == "marginal":
            return (self._best_marginal(),)
        if not self.compared:
            return (self._together(),)
        reached = self.reached
        return (*self._levels(), *(() if reached is None else reached.claims))

    def _told(
        self, kind: Any, says: str, estimate: float, half: float | None, **held: Any
    ) -> Claim:
        """Return a claim whose level has as many digits as its interval or the effect deserves."""
        level = plus_minus(estimate, half) if half else format_level(estimate, self.spread)
        held.setdefault("because", (*self._doubts, *self._basis))
        return self.told(
            kind, self.names, estimate, between(estimate, half), says=says, level=level,
            term="attainable" if self.kind == "attainable" else "", any=" or ".join(self.names),
            **held,
        )  # fmt: skip

    def _levels(self) -> tuple[Claim, ...]:
        found, doubts = self.contrasts, self._doubts
        level = float(self.mean.ravel()[found.place])
        same = self.spread <= _ROUNDING * abs(level)
        if same or (self.covariance is not None and found.widest <= FLAT * self._scale):
            within = 0.0 if same else found.widest
            gone = bool((~self.supported & ~np.isnan(self.mean)).any())
            basis = (FLAT_WITHIN(bound=within),) if within else ()
            because = (*basis, *doubts, *self._basis)
            certain = not doubts and not gone
            return (self._told("flat", "flat", level, within, certain=certain, because=because),)
        kept = kept_values(self)
        narrowed = any(not all(inside) for inside in kept)
        values = tuple(range_of(self, i, inside) for i, inside in enumerate(kept))
        best = self._told(
            "best_at", "best" if narrowed else "open", level, ROUNDED_95 * self._error(),
            values=values, where=where_best(self, values), certain=narrowed and not doubts,
            because=(*(() if narrowed else (_OPEN(),)), *doubts, *self._basis),
        )  # fmt: skip
        if self.covariance is None or not found.tried.any():
            return (best,)
        worst = int(np.nanargmax(np.where(found.tried, found.cost, -np.inf)))
        gap, half = found.against_best(worst)
        if gap <= 0.0:
            return (best,)
        sign = -1.0 if self.subject.lower_is_better else 1.0
        return best, self._between(found.place, worst, sign * gap, half, doubts)

    def _together(self) -> Claim:
        """Return whether both of a pair do more, or less, than the sum of what each does."""
        found, doubts = self.contrasts, self._doubts
        if self.covariance is not None and found.widest <= FLAT * self._scale:
            because, level = (FLAT_WITHIN(bound=found.widest), *doubts), format_value(found.widest)
            claim = self._told("no_interaction", "apart", 0.0, found.widest, certain=not doubts,
                               because=because)  # fmt: skip
            return replace(claim, text=self.words("apart", names=self.names, level=level)[1])
        gap, half = found.against_best(
            int(np.nanargmax(np.where(found.tried, found.cost, -np.inf)))
        )
        known = None if self.covariance is None else half
        unclear = known is not None and gap <= half
        if unclear:
            doubts = (fact("interaction_may_be_nothing"), *doubts)
        return self._told("interaction", "perhaps" if unclear else "together", gap, known,
                          certain=not doubts, because=doubts)  # fmt: skip

    def _best_marginal(self) -> Claim:
        """Return where a marginal is best of what was tried.

        It is not certain, as a spread over trees says nothing about differences between values; a
        partial dependence compares them.
        """
        doubts = self.subject.doubts(self.scope)
        if np.ptp(self.mean) <= _ROUNDING * np.abs(self.mean).max():
            certain = not doubts and bool(self.supported.all())
            return self.told("flat", self.names, says="same", certain=certain, because=doubts)
        cost = self.mean if self.subject.lower_is_better else -self.mean
        if self.supported.any():
            cost = np.where(self.supported, cost, np.inf)
        place = int(np.argmin(cost))
        values, mean = self._at(place), float(self.mean.ravel()[place])
        return self.told(
            "best_at", self.names, mean, between(mean, float(self.std.ravel()[place])), says="at",
            values=values, certain=False, because=(*doubts, fact("uncertainty_unknown")),
            where=[f"{n} = {format_value(v)}" for n, v in zip(self.names, values, strict=True)],
        )  # fmt: skip

    def contrast(self, a: Any, b: Any) -> Claim:
        """Return by how much the objective at one value differs from that at another on average.

        Parameters
        ----------
        a, b : object
            Values in the user's units (of two hyperparameters pairs of values); those of the grid
            that are nearest to them are compared.

        Returns
        -------
        Claim
            Its `estimate` is the objective at `a` minus that at `b`, with a 95 % `interval` where
            the model has a joint posterior; `certain` if that excludes 0 and the trials carry it.

        Raises
        ------
        ValueError
            If a category is unknown.
        """
        given = [(v,) if len(self.names) == 1 else v for v in (a, b)]
        configs = [dict(zip(self.names, values, strict=True)) for values in given]
        first, second = (
            int(np.ravel_multi_index(self._place(config), self.mean.shape)) for config in configs
        )
        estimate = float(self.mean.ravel()[first] - self.mean.ravel()[second])
        doubts, half = self._doubts, None
        if self.covariance is not None:
            own = self.covariance[[first, second], [first, second]]
            variance = own.sum() - 2.0 * self.covariance[first, second]
            half = ROUNDED_95 * float(np.sqrt(max(variance, 0.0)))
        if not self.supported.ravel()[[first, second]].all():
            doubts += (fact("value_not_tried", names=self.names),)
        return self._between(first, second, estimate, half, doubts)

    def _between(
        self, first: int, second: int, gap: float, half: float | None, doubts: tuple[Fact, ...]
    ) -> Claim:
        return self._told(
            "contrast", "", gap, half, because=(*doubts, *self._basis),
            values=tuple(zip(self._at(first), self._at(second), strict=True)),
            certain=half is not None and abs(gap) > half and not doubts,
        )  # fmt: skip

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """Where the partial dependence differs from accumulated effects."""
        return tuple(note for note in self.notes if note.kind == "partial_dependence_differs")

    # ------------------------------------------------------------------ why it is not certain

    @property
    def _doubts(self) -> tuple[Fact, ...]:
        """Why no claim is certain; empty where they may be."""
        found = [*self.subject.doubts(self.scope)]
        if self.covariance is None:
            found.append(fact("uncertainty_unknown"))
        if self.branch is not None and not self.branch.enough:
            found.append(_SMALL_BRANCH(**_of(self.branch)))
        if not self.may_be_best.any():
            found.append(_NONE_FEASIBLE())
        if not self.supported.any():
            found.append(fact("value_not_tried", names=self.names))
        return tuple(found)

    @property
    def _basis(self) -> tuple[Fact, ...]:
        """What the claims rest on."""
        found, support = list[Fact](), self.subject.support
        if len(self.names) == 1:
            gaps = () if support is None else support.gaps(self.names[0])
            found += [_HARDLY_TRIED(names=self.names, gaps=gaps)] if gaps else []
            out = [*itertools.compress(self.axes[0], ~self.may_be_best)]
            found += [_INFEASIBLE(names=self.names, values=out)] if out else []
        if self.branch is not None and self.branch.enough:
            found.append(_IN_BRANCH(**_of(self.branch)))
        return tuple(found)

    def _error(self) -> float:
        """Return the standard deviation of the best mean: by Eq. 4 where known, else its own."""
        place = self.contrasts.place
        if self.covariance is None:
            return float(self.std.ravel()[place])
        return float(np.sqrt(max(self.covariance[place, place], 0.0)))

    # ------------------------------------------------------------------ ranges of values

    def _at(self, place: int) -> tuple[Any, ...]:
        where = np.unravel_index(place, self.mean.shape)
        return tuple(axis[i] for axis, i in zip(self.axes, where, strict=True))


def _of(branch: Branch) -> dict[str, Any]:
    return {"names": branch.names, "n": branch.trials, "r2": branch.r2}


def flat_level(effect: Effect) -> str:
    """Return the level of an effect that makes no difference, with what differences may be."""
    claim = effect.claims[0]
    return plus_minus(claim.estimate, claim.half) if claim.half else format_level(
        claim.estimate, effect.spread)  # fmt: skip


PartialDependence = Effect
"""What :func:`hpo_explain.partial_dependence` returns."""

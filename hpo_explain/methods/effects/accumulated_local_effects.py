r"""Accumulated local effects with model uncertainty (Apley and Zhu 2020).

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
f            posterior mean of the surrogate; the band is that of the function itself
z_k          values of a hyperparameter: quantiles of the sample, or all of a few values
N(k)         configurations of the sample in step k, from z_{k-1} to z_k
Δ(k)         mean over N(k) of ``f(z_k, x_\j) - f(z_{k-1}, x_\j)``: a local effect (Eq. 15)
g(z_k)       ``Δ(1) + ... + Δ(k)``, less its mean over the sample (Eq. 15 and 16)
===========  ==========================================================================

Every prediction is made near a configuration of the sample: of its own values only one changes, to
the next one. A partial dependence combines all values with all others, also where nothing was ever
tried. Of a pair the second differences are accumulated, and what each does alone is taken out
(Eq. 17 to 19): the interaction is left.

All is linear in f, so its covariance follows exactly from the model's: D K̂ Dᵀ of the steps, with
the signs D of the means over N(k), and then of the sums.

What another value of a parent activates has no value in a configuration; it takes that of the
nearest one that has it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import format_value, number
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import counted, listed
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.belief.decide import decide
from hpo_explain.belief.drawn import Draws, as_draws
from hpo_explain.methods._engines.accumulated import (
    Steps,
    accumulate,
    filled,
    order_of_categories,
    steps_between,
)
from hpo_explain.methods._engines.categories import codes_of
from hpo_explain.methods._engines.rows_at import (
    about_names,
    checked_sample,
    highest,
    one_or_two,
)
from hpo_explain.methods._engines.sub_space import Given, SubSpace
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import (
    PartialDependenceExplainer,
    on_grid,
)
from hpo_explain.models.protocols import Surrogate, mean_of
from hpo_explain.question.explained import Explained, accepted_surrogate
from hpo_explain.space import Array, CategoricalParameter, SearchSpace
from hpo_explain.space.support import gower_distances

_MOST_ROWS = (1000, 500)  # of the sample, for one and for two hyperparameters
_ROUNDING = 1e-9  # of the range
_IN_CELL = 4  # configurations of a pair's cell, on average
_PARTIAL_ROWS, _PARTIAL_GRID = (
    300,
    41,
)  # of the partial dependence that stands beside it

_ORDERED = declared_fact(
    "categories_ordered",
    "the categories of {names} are accumulated from one to the most similar "
    "one by the trials' other hyperparameters ({order})",
    order=lambda told: listed([*map(format_value, told["order"])], 8),
)
_NEVER_TOGETHER = declared_fact(
    "never_tried_together",
    "no trial has values of both {names} that can be changed one by one",
)
_DIFFERS = declared_fact(
    "partial_dependence_differs",
    "the partial dependence differs from it by {by} at {names} = "
    "{at}: it averages over all combinations, tried or not",
    by=lambda told: number(told["by"], 2),
)
_THINNED = declared_fact(
    "sample_thinned",
    "averaged over {kept} drawn from those tried",
    kept=lambda told: counted(told["kept"], "configuration"),
)
_TOO_FEW = declared_fact(
    "too_few_values",
    "fewer than two values of {names} were tried, so nothing changes along it",
)


class AccumulatedLocalEffectsExplainer:
    """Accumulates a surrogate's local effects along one or two hyperparameters.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    sample : None, int or ndarray of shape (n, d), default None
        The configurations whose local effects are averaged: those tried (of the subject), so many
        rows of the space's measure, or encoded rows.
    grid_size : int, default 20
        The most values of a hyperparameter, at least 2. A number with more has quantiles of the
        sample; of a pair fewer, so that four configurations lie in a cell on average.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d), such as that of
        ``run.feasibility()``: a value at which nothing is feasible is not called the best.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with the incumbent and the tried configurations, such as
        ``Subject.of(run)``; by default it is made from the surrogate and `direction`.
    given : mapping of str to sequence, optional
        Sub-space, as in :meth:`FanovaExplainer.explain`: of the sample what lies in it counts.
    seed : int, default 0
        Seed of a drawn sample, and of the choice among more than 1000 configurations (500 for a
        pair).

    Raises
    ------
    ValueError
        If the grid has one value, the sample is outside the space, or `given` leaves nothing of it.

    References
    ----------
    .. [1] Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black
       box supervised learning models. Journal of the Royal Statistical Society B 82(4), 1059-1086.
       Eq. 15 to 19. https://doi.org/10.1111/rssb.12377

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] + X[:, 1])
    >>> explainer = AccumulatedLocalEffectsExplainer(surrogate, sample=X, grid_size=5)
    >>> effect = explainer.explain("x")
    >>> effect.mean.round(1) + 0.0
    array([-0.5, -0.3,  0. ,  0.2,  0.5])
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        sample: int | npt.ArrayLike | None = None,
        grid_size: int = 20,
        feasible: Callable[[Array], Array] | None = None,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        given: Given | None = None,
        seed: int = 0,
    ) -> None:
        self._surrogate = accepted_surrogate(surrogate)
        self._space = surrogate.space
        self._part = SubSpace.of(self._space, given)
        self._whole = Explained.of(surrogate, direction).completed(subject)
        self._subject = self._part.of_subject(self._whole)
        self._grid_size = check_count("grid_size", grid_size, minimum=2)
        self._feasible = feasible
        self._seed = check_seed(seed)
        if sample is None:
            if not len(self._whole.tried):
                problem = "is None, but the tried configurations are not known"
                remedy = "Give encoded rows, a number of rows, or a subject that knows the trials."
                raise InputError("sample", problem, sample, remedy)
            sampled = self._whole.tried
        elif np.ndim(sample) == 0:
            latent = self._part.sample(
                check_count("sample", sample), seed=seed
            )
            sampled = self._space.project(latent)
        else:
            sampled = checked_sample(self._space, sample)
        self._sample = sampled[self._part.holds(sampled)]

    @shows_progress
    def explain(self, names: str | Sequence[str]) -> Effect:
        """Return the accumulated local effects of one hyperparameter, or of the pair beyond each.

        Parameters
        ----------
        names : str or pair of str
            The hyperparameters.

        Returns
        -------
        Effect
            Curve (or surface) with its uncertainty.

        Raises
        ------
        NothingToExplain
            If the sample has fewer than two values of one, where all of them are active.
        ValueError
            If a name is unknown, or there are not one or two different ones.
        """
        space = self._space
        wanted = one_or_two(space, names)
        members = [space.index(name) for name in wanted]
        rows, thinned = self._rows(members)
        axes = tuple(self._steps(rows, j, len(members)) for j in members)
        latent = _completed(space, rows) if _decides(space, members) else rows
        effects = _LocalEffects.of(space, latent, members, axes)
        draws = as_draws(
            self._surrogate, self._subject.direction, seed=self._seed
        )
        mean, drawn = effects.accumulated(self._surrogate, draws)
        shape = mean.shape
        # categories in their own order, not in that in which they were accumulated
        orders = [np.argsort(steps.positions) for steps in axes]
        positions = tuple(
            s.positions[order] for s, order in zip(axes, orders, strict=True)
        )
        feasible = None
        if self._feasible is not None:
            places = itertools.product(*positions)
            feasible = highest(
                space, self._feasible, latent, members, places
            ).reshape(shape)
        found = Effect(
            kind="accumulated",
            **on_grid(
                self._whole, self._surrogate, members, positions, self._part
            ),
            mean=mean[np.ix_(*orders)],
            std=np.full(shape, np.nan)
            if drawn is None
            else drawn.std(axis=-1)[np.ix_(*orders)],
            drawn=None if drawn is None else drawn[np.ix_(*orders)],
            sample_size=len(rows),
            feasible=feasible,
            notes=self._notes(wanted, axes, thinned),
        )
        if len(members) == 2:
            return found
        return self._beside(found, axes[0].at[:, orders[0]].mean(axis=0))

    def _rows(self, members: list[int]) -> tuple[Array, bool]:
        """Return the sample in which all members are active, and whether it was thinned."""
        rows = self._sample[~np.isnan(self._sample[:, members]).any(axis=1)]
        for j in members:
            if isinstance(self._space.parameters[j], CategoricalParameter):
                rows = rows[
                    np.isin(
                        rows[:, j], codes_of(self._subject, j, len(members))
                    )
                ]
        most = _MOST_ROWS[len(members) - 1]
        if len(rows) <= most:
            return rows, False
        rng = np.random.default_rng(self._seed)
        return rows[np.sort(rng.choice(len(rows), most, replace=False))], True

    def _steps(self, rows: Array, j: int, order: int) -> Steps:
        levels: Array | None = np.unique(rows[:, j])
        if levels is None or len(levels) < 2:
            raise NothingToExplain(_TOO_FEW(names=[self._space.names[j]]))
        most = self._grid_size
        if order == 2:
            most = min(most, 1 + max(2, int(np.sqrt(len(rows) / _IN_CELL))))
        if isinstance(self._space.parameters[j], CategoricalParameter):
            levels = order_of_categories(self._space, rows, j)
        elif len(levels) > most:
            levels = None
        return steps_between(rows[:, j], levels, most)

    def _beside(self, found: Effect, weights: Array) -> Effect:
        """Return the effect with the partial dependence, centred over the sample as it is itself.

        With a note where both differ for certain, by more than the noise of one evaluation.
        """
        explainer = PartialDependenceExplainer(
            self._surrogate,
            sample=_PARTIAL_ROWS,
            grid_size=_PARTIAL_GRID,
            subject=self._whole,
            given=self._part.given,
            seed=self._seed,
        )
        effect = explainer.explain(found.names)
        (known,), there = effect.positions, ~np.isnan(effect.mean)

        def along(curve: Array) -> Array:
            if found.categorical[0]:
                values = curve[np.searchsorted(known, found.positions[0])]
            else:
                values = np.interp(
                    found.positions[0], known[there], curve[there]
                )
            return np.asarray(values - weights @ values)

        partial = along(effect.mean)
        if found.drawn is None or effect.drawn is None:
            return replace(found, partial=partial)
        gaps = (
            np.stack([along(curve) for curve in effect.drawn.T], axis=-1)
            - found.drawn
        )
        decisions = [decide(gap) for gap in gaps]
        sizes = [d.certain * abs(d.estimate) for d in decisions]
        place = int(np.argmax(sizes))
        if sizes[place] <= max(
            found.noise_std, _ROUNDING * float(np.ptp(found.mean))
        ):
            return replace(found, partial=partial)
        differs = _DIFFERS(
            names=found.names,
            at=found.grid[place],
            by=decisions[place].estimate,
        )
        return replace(found, partial=partial, notes=(differs, *found.notes))

    def _notes(
        self, names: tuple[str, ...], axes: tuple[Steps, ...], thinned: bool
    ) -> tuple[Fact, ...]:
        notes = list[Fact]()
        for name, steps in zip(names, axes, strict=True):
            parameter = self._space[name]
            if (
                isinstance(parameter, CategoricalParameter)
                and len(steps.positions) > 2
            ):
                order = list(parameter.decode(steps.positions))
                notes.append(_ORDERED(names=[name], order=order))
            notes += about_names(self._subject, [name])
        if thinned:
            notes.append(_THINNED(kept=_MOST_ROWS[len(names) - 1]))
        return (*notes, *self._subject.notes)


class _LocalEffects:
    """The local effects of a sample: means over groups of rows, added with signs."""

    def __init__(
        self,
        axes: tuple[Steps, ...],
        groups: list[Array],
        signs: Array,
        which: npt.NDArray[np.intp],
    ) -> None:
        self._axes, self._groups, self._signs, self._which = (
            axes,
            groups,
            signs,
            which,
        )

    @classmethod
    def of(
        cls,
        space: SearchSpace,
        latent: Array,
        members: list[int],
        axes: tuple[Steps, ...],
    ) -> _LocalEffects:
        """Compose the rows on both ends of each step, in all combinations of the members."""
        shape = tuple(len(steps.rows) for steps in axes)
        sizes = np.zeros(shape, dtype=int)
        groups: list[Array] = []
        for cell in np.ndindex(*shape):
            taken = [
                steps.rows[k] for steps, k in zip(axes, cell, strict=True)
            ]
            inside = latent[
                taken[0] if len(axes) == 1 else np.intersect1d(*taken)
            ]
            ends = [
                steps.positions[[k, k + 1]]
                for steps, k in zip(axes, cell, strict=True)
            ]
            corners = [
                _at(space, inside, members, value)
                for value in itertools.product(*ends)
            ]
            there = np.all(
                [~np.isnan(z[:, members]).any(axis=1) for z in corners], axis=0
            )
            sizes[cell] = there.sum()
            if sizes[cell]:
                groups += [z[there] for z in corners]
        signs = (
            np.array([-1.0, 1.0])
            if len(axes) == 1
            else np.array([1.0, -1.0, -1.0, 1.0])
        )
        known = np.flatnonzero(sizes)
        if not len(known):
            names = [space.names[j] for j in members]
            raise NothingToExplain(_NEVER_TOGETHER(names=names))
        return cls(
            axes,
            groups,
            signs,
            np.searchsorted(known, filled(sizes.ravel(), axes)),
        )

    def accumulated(
        self, surrogate: Surrogate, draws: Draws | None
    ) -> tuple[Array, Array | None]:
        """Return g, and g of each draw (..., k) where there are any."""
        ends = np.cumsum([0, *map(len, self._groups)])
        every = np.vstack(self._groups)
        values = None if draws is None else draws.draws(every).T
        if values is not None and draws is surrogate:
            own = values.mean(axis=1)  # what it predicts
        else:
            own = mean_of(surrogate, every)
        mean = self._summed(_means(own[:, None], ends))[..., 0]
        if values is None:
            return mean, None
        drawn = self._summed(_means(values, ends))
        return mean, drawn + (mean - drawn.mean(axis=-1))[..., None]

    def _summed(self, means: Array) -> Array:
        """Return the accumulated effects of means over the groups, (groups, m)."""
        corners = means.reshape(-1, len(self._signs), means.shape[1])
        local = np.einsum("c,kcm->km", self._signs, corners)
        shape = tuple(len(steps.rows) for steps in self._axes)
        return accumulate(local[self._which].reshape(*shape, -1), self._axes)


def _means(values: Array, ends: npt.NDArray[np.intp]) -> Array:
    sums = np.add.reduceat(values, ends[:-1], axis=0)
    return np.asarray(sums / np.diff(ends)[:, None])


def _at(
    space: SearchSpace,
    latent: Array,
    members: list[int],
    value: Sequence[float],
) -> Array:
    """Return configurations in which the members take a value."""
    rows = latent.copy()
    rows[:, members] = value
    return space.project(rows)


def _decides(space: SearchSpace, members: list[int]) -> bool:
    return any(
        parent in members for rules in space.conditions for parent, _ in rules
    )


def _completed(space: SearchSpace, rows: Array) -> Array:
    """Return latent rows: what is inactive takes its value in the nearest row that has one."""
    latent = rows.copy()
    for j, parameter in enumerate(space.parameters):
        gone = np.isnan(rows[:, j])
        if not gone.any() or parameter.optional is not None:
            continue
        if gone.all():
            latent[:, j] = space.from_latent(np.full((1, len(space)), 0.5))[
                0, j
            ]
        else:
            donors = rows[~gone]
            nearest = np.argmin(
                gower_distances(space, rows[gone], donors), axis=1
            )
            latent[gone, j] = donors[nearest, j]
    return latent

"""What differs between two configurations: what each change brings, and which can be put back.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_s        a draw of the cost
g_s(T)     ``f_s(start) - f_s(start with the changes T)``; g_s of all changes
noise      standard deviation of one evaluation at the end
=========  ============================================================================

A contribution is the Shapley value of a change in the game g (baseline Shapley: the start is the
only background). T keeps the gain in a draw if ``g_s > 0`` and no more of it is lost than
``max((1 - keep) g_s, min(noise, g_s / 2))``. The smallest T that does in 85 % of the draws is
taken, of several the likeliest; all changes where ``g_s > 0`` in less than 90 %. It is certain from
95 % on. The path of ablation makes the same changes in greedy order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Real

import numpy as np

from hpo_explain.base import (
    ROUNDING,
    Fact,
    InputError,
    NothingToExplain,
    Subject,
    check_number,
    fact,
    format_value,
    shows_progress,
)
from hpo_explain.belief import GAINED, KEPT, LEVEL, STRETCH, Draws, stretched
from hpo_explain.methods._engines.coalitions import all_coalitions, shapley_weights
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.methods.around.ablation import ablation_path
from hpo_explain.methods.around.changes_result import Changes, End
from hpo_explain.methods.around.mixtures import Mixtures, differing
from hpo_explain.question import Explained, Question, explains
from hpo_explain.space import Array, Bools, Config, SearchSpace, lowest, ranked

_EXACT = 11  # changes: of more, orders are drawn in place of all mixtures
_ORDERS = 30  # and as many reversed
_HALF = 0.5  # of the gain: noise is no reason to lose more
# trials that values are taken from, and rows of each round
_NEAR, _KEPT = (25, 10)


def _nothing_to_change(start: End, end: End) -> NothingToExplain:
    same = f"{start.name} and {end.name} are the same configuration"
    if end.role == "best":
        same = f"{start.name} is the best configuration that is known"
    config = format_value(start.config, width=200)
    return NothingToExplain(fact(f"{same}, so there is nothing to change ({config})"))


@explains
def changes(
    question: Question,
    default: Config | int | None = None,
    to: Config | int | None = None,
    *,
    keep: float = 0.95,
    reach: float | None = None,
) -> Changes:
    """Say which changes it takes from a default to the best, or from any configuration to another.

    With `acquisition` the changes are of an acquisition function, such as what made one proposal
    more desirable than another; with ``target="failed"`` of how probably a trial fails.

    Parameters
    ----------
    default : dict or int, optional
        Where the changes start: a configuration, or the number of a trial. By default the
        framework's own defaults where the run knows them, else the middle of the search space; with
        `reach` the trial to keep. A number outside a logarithmic range counts as its end.
    to : dict or int, optional
        Where they lead: a configuration or a trial; by default the trial to keep.
    keep : float, default 0.95
        The share of the gain of all changes that is kept. A loss within the noise
        of one evaluation counts as kept, up to half of the gain.
    reach : float, optional
        Find the fewest changes that reach this objective with 95 % instead, with values that were
        tried.

    Returns
    -------
    Changes
        ``changed`` holds the values to change, ``put_back`` those that can stay, ``gain`` what the
        changes bring, with its ``interval``; the table what each change contributes; the view
        "path" draws them in the order of ablation [1]_.

    Raises
    ------
    NothingToExplain
        If there is nothing to change.
    ValueError
        If fewer than two trials are finished, or the default is not a configuration of the space.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2017). Efficient parameter importance analysis via ablation with
       surrogates. AAAI.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"x": rng.random(40), "y": rng.random(40)})
    >>> table["loss"] = (table.x - 0.2) ** 2
    >>> run = hx.from_frame(table, "loss", hyperparameters=["x", "y"])
    >>> found = hx.changes(run, {"x": 0.9, "y": 0.5})
    >>> [*found.changed], [*found.put_back]
    (['x'], ['y'])
    """
    run = question.run
    best = End(run.config(question.keep), "best", question.keep)
    notes = list[Fact]()
    if to is not None:
        if reach is not None:
            problem = "was given with reach, which finds by itself where the changes lead"
            raise InputError("to", problem, to, "Leave one of them out.")
        best = End(question.config("to", to), "other", question.trial(to))
        run.space.row(best.config, "to")
    if default is not None:
        config, moved = within_log_ranges(run.space, question.config("default", default))
        run.space.row(config, "default")
        notes += moved
        start = End(config, "given", question.trial(default))
    elif reach is not None:
        start = best
        assumed = f"start: {best.name}, the best that is known, as no default was given"
        notes.append(fact(assumed))
    elif run.default is not None:
        start = End(run.default, "framework")
        notes.append(fact("default: the framework's own, as none was given"))
    else:
        middle = run.space.from_latent(np.full((1, len(run.space)), 0.5))
        start = End(run.space.decode(run.space.project(middle))[0], "middle")
        notes.append(fact("default: the middle of the search space, as none was given"))
    explainer = AblationExplainer(
        question.model, subject=question.subject(notes=notes), seed=question.seed
    )
    if reach is not None:
        return explainer.reach(start, reach, run.X[np.asarray(run.feasible)])
    return explainer.explain(start, best, keep=keep)


def within_log_ranges(space: SearchSpace, config: Config) -> tuple[Config, list[Fact]]:
    """Return a configuration whose values lie within logarithmic ranges, and notes on those moved.

    A default of 0 lies on no logarithmic scale, and what switches a penalty off is usually one.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("alpha", 1e-8, 10.0, log=True)])
    >>> config, (note,) = within_log_ranges(space, {"alpha": 0})
    >>> config, note.names
    ({'alpha': 1e-08}, ('alpha',))
    """
    moved = dict(config)
    notes = []
    for parameter in space:
        name = parameter.name
        value = config.get(name)
        if parameter.is_category or not parameter.log:
            continue
        if isinstance(value, bool) or not isinstance(value, Real):
            continue
        end = min(max(float(value), parameter.low), parameter.high)
        if end != value and np.isfinite(float(value)):
            moved[name] = type(parameter.low)(end)
            outside, counts = format_value(value), format_value(moved[name])
            text = f"{name} = {outside} is outside its logarithmic range; its end, {counts}, counts"
            notes.append(fact(f"default: {text}", names=[name]))
    return moved, notes


@dataclass(frozen=True, eq=False)
class AblationExplainer(Explainer):
    """Says which changes between two configurations make the difference.

    Parameters
    ----------
    surrogate, direction, subject, space
        As of `Explainer`.
    seed : int, default 0
        Seed of the draws, of orders where more than 11 hyperparameters differ, and of the value of
        what is active in neither configuration, but after some of the changes.

    Raises
    ------
    ValueError
        If `surrogate` is neither, or `direction` is unknown.

    References
    ----------
    .. [1] Fawcett, C. and Hoos, H. H. (2016). Analysing differences between algorithm
       configurations through ablation. J. Heuristics 22, 431-458.
       https://doi.org/10.1007/s10732-014-9275-9
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 3, Eq. 3; Section 8, baseline Shapley.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> explainer = hx.methods.AblationExplainer(surrogate)
    >>> found = explainer.explain({"x": 0.9, "y": 0.9}, {"x": 0, "y": 0})
    >>> found.names, found.steps[0].names
    (('x', 'y'), ('x',))
    """

    @shows_progress
    def explain(self, source: Config | End, target: Config | End, *, keep: float = 0.95) -> Changes:
        """Return what each change from one configuration to another brings, and the fewest.

        Parameters
        ----------
        source, target : dict
            The configurations, in the user's units; what is inactive is left out.
        keep : float, default 0.95
            The share of the gain that the fewest changes keep.

        Raises
        ------
        NothingToExplain
            If the two configurations are the same.
        ValueError
            If a configuration is not one of the space, or `keep` is not in (0, 1].
        """
        if not 0.0 < check_number("keep", keep) <= 1.0:
            problem = f"must lie above 0 and be at most 1, but was {keep!r}"
            remedy = "Give a share of the gain, such as 0.95."
            raise InputError("keep", problem, keep, remedy)
        start, end = End.of(source), End.of(target, "other")
        x = self.space.row(start.config, "source")
        y = self.space.row(end.config, "target")
        mixed = Mixtures(self.space, x, y)
        if not mixed.columns:
            raise _nothing_to_change(start, end)
        game = _Game(self.explained, mixed, self.seed)
        return _changes(game, start, end, self.about, game.smallest(keep), keep=keep)

    @shows_progress
    def reach(self, source: Config | End, goal: float, tried: Array) -> Changes:
        """Return the fewest changes of a configuration that reach an objective with 95 %.

        Parameters
        ----------
        source : dict
            The configuration, in the user's units.
        goal : float
            The objective to be reached.
        tried : ndarray of shape (n, d)
            Encoded rows that values are taken from.

        Raises
        ------
        NothingToExplain
            If the configuration reaches it already, or there is nothing to be changed.
        ValueError
            If the configuration is not one of the space, or `goal` is not a number.
        """
        goal, explained = check_number("reach", goal), self.explained
        start = End.of(source)
        x = self.space.row(start.config, "source")
        costs = explained.draws(self.seed).costs
        limit = explained.sign * goal

        def reaches(rows: Array) -> Array:
            far = _stretched(costs(rows) - limit)
            return (far <= 0.0).mean(axis=0)

        probability = float(reaches(x[None])[0])
        if probability >= LEVEL:
            reached = f"{start.name} reaches {format_value(goal)} already, with {probability:.0%}"
            raise NothingToExplain(fact(reached))
        y = _reaching(explained, x, tried, reaches, costs)
        end = start if y is None else End(self.space.decode(y[None])[0], "found")
        if y is None:
            raise _nothing_to_change(start, end)
        game = _Game(explained, Mixtures(self.space, x, y), self.seed)
        every = np.ones(len(game.mixed.columns), bool)
        return _changes(game, start, end, self.about, every, reach=goal)


def _changes(
    game: _Game,
    start: End,
    end: End,
    about: Subject,
    taken: Bools,
    *,
    keep: float = 1.0,
    reach: float | None = None,
) -> Changes:
    mixed, space = game.mixed, game.explained.space
    final = mixed.rows(taken[None])[0]
    columns = [j for j in space.order.tolist() if j in differing(mixed.x, mixed.y)]
    shapley = game.shapley
    share = dict(zip(mixed.columns, shapley.T, strict=True))
    none = np.full(len(shapley), np.nan)
    contributions = np.column_stack([share.get(j, none) for j in columns])
    way = 1.0 if game.whole.mean() >= 0.0 else -1.0  # of a loss the largest first, too
    first = ranked(-np.nan_to_num(way * contributions.mean(axis=0), nan=-np.inf))
    columns, contributions = ([columns[i] for i in first], contributions[:, first])
    other = differing(final, mixed.y)
    gain = game.gains(taken[None])[:, 0]
    slack = game.slack(gain[:, None], keep)[:, 0]
    if reach is not None:
        slack = _stretched(game.explained.sign * reach - game.origin + gain)
    path, steps = ablation_path(game.explained, mixed)
    notes = about.notes
    if len(mixed.columns) > _EXACT:
        sampled = f"contributions are averages over {2 * _ORDERS} orders of the changes"
        notes = (fact(sampled), *notes)
    return Changes(
        subject=about,
        start=start,
        best=end,
        config=space.decode(final[None])[0],
        names=tuple(space.names[j] for j in columns),
        needed=np.array([j not in other for j in columns]),
        contributions=contributions.mean(axis=0),
        keep=keep,
        reach=reach,
        steps=steps,
        noise_std=game.noise,
        path_drawn=game.draws.draws(path),
        gain_drawn=gain,
        whole_drawn=game.whole,
        slack_drawn=slack,
        contributions_drawn=contributions.T,
        notes=notes,
    )


@dataclass(frozen=True, eq=False)
class _Game:
    """What sets of changes gain in each draw."""

    explained: Explained
    mixed: Mixtures
    seed: int

    @cached_property
    def draws(self) -> Draws:
        """The functions that the model allows."""
        return self.explained.draws(self.seed)

    @cached_property
    def noise(self) -> float:
        """Standard deviation of one evaluation after all changes; 0 where it is not known."""
        return float(self.draws.noise_at(self.mixed.y[None])[0])

    def _costs(self, rows: Array) -> Array:
        """Return the cost of each draw at encoded rows, (k, n)."""
        return np.asarray(self.draws.costs(rows), float)

    @cached_property
    def origin(self) -> Array:
        """Cost of each draw before all changes, (k,)."""
        return self._costs(self.mixed.x[None])[:, 0]

    def gains(self, sets: Bools) -> Array:
        """Return what sets of changes (m, n) gain in each draw, (k, m)."""
        space, rows = self.explained.space, self.mixed.rows(sets)
        # what has a value in neither configuration gets one, so that all sets have a gain
        sample = space.sample(1, seed=self.seed, latent=True)[0]
        needed = np.array([p.optional == 1.0 for p in space.parameters])
        rows = space.project(np.where(np.isnan(rows) & needed, sample, rows))
        return self.origin[:, None] - self._costs(rows)

    @cached_property
    def whole(self) -> Array:
        """What all changes gain, (k,)."""
        return self.gains(np.ones((1, len(self.mixed.columns)), bool))[:, 0]

    def slack(self, gains: Array, keep: float) -> Array:
        """Return by how much sets gain more than is to be kept; below 0 where nothing is gained."""
        whole = self.whole[:, None]
        rounding = ROUNDING * np.abs(self.origin[:, None])
        allowed = np.maximum((1.0 - keep) * whole, np.minimum(self.noise, _HALF * whole))
        more = gains - whole + allowed + rounding
        return np.minimum(more, whole)

    @cached_property
    def _every(self) -> tuple[Bools, Array]:
        """All sets and what they gain; of many changes, those of orders that are drawn."""
        n = len(self.mixed.columns)
        if n <= _EXACT:
            sets = all_coalitions(n)
            return sets, self.gains(sets)
        rng = np.random.default_rng(self.seed)
        orders = np.array([rng.permutation(n) for _ in range(_ORDERS)])
        place = np.argsort(np.vstack([orders, orders[:, ::-1]]), axis=1)
        sets = (place[:, None, :] < np.arange(n + 1)[:, None]).reshape(-1, n)
        return sets, self.gains(sets)

    @cached_property
    def shapley(self) -> Array:
        """The Shapley values of the changes in each draw, (k, n)."""
        sets, gains = self._every
        n = sets.shape[1]
        if n <= _EXACT:
            return gains @ shapley_weights(n).T
        # of each order
        steps = np.diff(gains.reshape(len(gains), -1, n + 1), axis=2)
        who = np.diff(sets.reshape(-1, n + 1, n).astype(int), axis=1)
        return np.einsum("dos,osp->dp", steps, who) / len(who)

    def smallest(self, keep: float) -> Bools:
        """Return the smallest set that keeps the gain; all where it is not certain or none does."""
        n = len(self.mixed.columns)
        every = np.ones(n, bool)
        rounding = ROUNDING * np.abs(self.whole).max()
        if (self.whole > rounding).mean() < GAINED:
            return every
        if n > _EXACT:
            return self._greedy(keep)
        sets, gains = self._every
        probability, sizes = self._probability(sets, gains, keep), sets.sum(axis=1)
        for size in range(1, n):
            some = np.flatnonzero((sizes == size) & (probability >= KEPT))
            if len(some):
                return sets[some[lowest(-probability[some])]]
        return every

    def _greedy(self, keep: float) -> Bools:
        """Return a small set that keeps the gain: from the largest contributions, one by one."""

        def keeps(sets: Bools) -> Bools:
            return self._probability(sets, self.gains(sets), keep) >= KEPT

        n = len(self.mixed.columns)
        order = ranked(-self.shapley.mean(axis=0))
        sets = np.argsort(order)[None, :] < np.arange(1, n + 1)[:, None]
        good = np.flatnonzero(keeps(sets))
        taken = sets[good[0] if len(good) else -1]
        for j in order[::-1]:
            fewer = taken & (np.arange(n) != j)
            if fewer.any() and keeps(fewer[None])[0]:
                taken = fewer
        return taken

    def _probability(self, sets: Bools, gains: Array, keep: float) -> Array:
        """Return how probably sets keep the gain; 0 of those that cannot be made. (m,)."""
        valid = self.explained.space.is_valid(self.mixed.rows(sets))
        return np.where(valid, (self.slack(gains, keep) > 0.0).mean(axis=0), 0.0)


def _stretched(draws: Array) -> Array:
    """Return draws further from their median: the best of many rows seems better than it is."""
    return stretched(draws, STRETCH["attainable"])


def _reaching(
    explained: Explained,
    x: Array,
    tried: Array,
    reaches: Callable[[Array], Array],
    costs: Callable[[Array], Array],
) -> Array | None:
    """Return the row with the fewest changes of `x` that surely reaches a goal, else the likeliest.

    Every round changes one more hyperparameter to a value of a good trial, which brings those along
    that become active.
    """
    space = explained.space
    near = space.distinct(tried)
    near = near[ranked(costs(near).mean(axis=0))[:_NEAR]]
    rows, best, likeliest = x[None], None, (-1.0, 0.0)
    for _ in range(len(space)):
        rows_near = [_with(space, rows, near, j) for j in space.order.tolist()]
        new = space.distinct(np.concatenate([*rows_near, np.empty((0, len(space)))]))
        new = new[[bool(differing(x, row)) for row in new]]
        if not len(new):
            break
        chance, mean = reaches(new), costs(new).mean(axis=0)
        first = ranked(mean)
        first = first[np.argsort(-chance[first], kind="stable")]
        top = (float(chance[first[0]]), -float(mean[first[0]]))
        if top > likeliest:
            best, likeliest = new[first[0]], top
        if top[0] >= LEVEL:
            break
        rows = new[first[:_KEPT]]
    return best


def _with(space: SearchSpace, rows: Array, others: Array, j: int) -> Array:
    """Return rows with a hyperparameter as in others, and what that switches on as there."""
    a, b = (np.repeat(np.arange(n), m) for n, m in ((len(rows), len(others)), (len(others), 1)))
    start, other = rows[a], others[np.tile(b, len(rows))]
    changed = np.where(np.isnan(start), other, start)
    changed[:, j] = other[:, j]
    blank = np.isnan(changed)
    new = space.project(np.where(blank, 0.0, changed))
    new[blank] = np.nan
    return new[space.is_valid(new) & ~np.isnan(other[:, j])]

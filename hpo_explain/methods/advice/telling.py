"""Rules that change no space: beware, repeat, wait, stop, and go on.

**beware**: whether failures depend on a category or a range, or on a pair of these, is tested by
Fisher's exact test [1]_, each p-value times the number of all that were tested.

**repeat**: with m contenders, the tried configurations that are most probably the best, whose costs
have the posterior mean μ and covariance K, and noise of variance σ² in one evaluation: after r
further evaluations of each, the posterior means are normal around μ with the covariance
``K (K + σ²/r I)⁻¹ K``. What the repeats gain is ``min μ - E[min of these means]``: choosing by them
improves the expected objective so much [2]_.

**wait**: the share of the variance that a model of n trials leaves open on held-out trials falls as
``c n**-a``. Models of half of the trials, drawn at random, and of all give a.

References
----------
.. [1] Fisher, R. A. (1922). On the interpretation of χ² from contingency tables, and the
   calculation of P. Journal of the Royal Statistical Society 85(1), 87-94.
.. [2] Frazier, P., Powell, W. and Dayanik, S. (2009). The knowledge-gradient policy for correlated
   normal beliefs. INFORMS Journal on Computing 21(4), 599-613.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import Fact, Origin
from hpo_explain.base.numbers import plus_minus, r_squared
from hpo_explain.base.options import State
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.advice.advise_result import Action, settings_of
from hpo_explain.methods.advice.analyses import Analysed
from hpo_explain.methods.advice.prospects import Candidates, Prospects, recent, tried
from hpo_explain.models._repeats import different_rows
from hpo_explain.models.protocols import SupportsHeldOut, SupportsJoint
from hpo_explain.run import Run, thinned
from hpo_explain.run.best_predicted import NOTABLE_NOISE, best_predicted
from hpo_explain.space import Array, CategoricalParameter, Parameter, SearchSpace, ranked

_Rows = npt.NDArray[np.bool_]
_LOST = {"failed": "failed", "pruned": "were pruned", "infeasible": "were infeasible"}

_FAILS = declared_fact(
    "fails_where",
    "{failed} of {n:#trial} {lost} with {where}, and {elsewhere} of {others} others; by chance so "
    "many with a probability of {p:.1g}",
    lost=lambda about: _LOST[about["state"]],
    where=lambda about: settings_of(about.names, about["values"], " with "),
)
_NEVER_TRIED = declared_fact(
    "category_never_tried", "none of {n:#trial} has {them}",
    them=lambda about: "it" if len(about.names) == 1 else "them",
)  # fmt: skip
_WITHOUT_RESULT = declared_fact(
    "enqueued_without_result",
    "asked for by a person, and without a result: {trials:#trial} ({trials:spans})",
)
_AGAIN = declared_fact(
    "would_score_again",
    "trial {trials}, the best observed one, would score {again} on average again, where {observed} "
    "was observed (one evaluation scatters by {noise:.2g})",
    again=lambda about: plus_minus(about["mean"], about["std"]),
)
_HIDDEN = declared_fact(
    "best_hidden",
    "noise hides which of the trials {trials:spans} is best: knowing it is worth {known:.2g}",
)
_TIED_BEST = declared_fact(
    "best_tied",
    "{trials:#different configuration} share the best {objective}: only a finer evaluation, or "
    "further ones, tell which is best",
)
_TOO_FEW = declared_fact("too_few_to_tell", "{n:#trial} are too few to judge a model")
_NOT_LEARNING = declared_fact(
    "not_learning",
    "the model of all {n} trials predicts hardly better than those of half of them: whether more "
    "trials will tell cannot be said",
)
_MORE_NEEDED = declared_fact(
    "more_trials_needed",
    "the model explains {share} of the variance of held-out trials; if it gets better as it did so "
    "far, about {more} more trials bring that to {wanted:%}",
    share=lambda about: f"{max(about['r2'], 0.0):.0%}",
)
_NOTHING = declared_fact("nothing_to_change", "{why}", why=lambda about: _why_nothing(about))
_LEFT = declared_fact(
    "still_to_gain",
    "the model expects that the best {objective} can still be improved by {expected:.2g}, and with "
    "90% probability by no more than {bound:.2g}",
)

_REGRET = declared_fact("regret_bound", "Optuna's terminator bounds the regret by {bound:.2g}")

# ---------------------------------------------------------------------- beware

_LEVEL = 0.01
_FEWEST, _MANY = 3, 10  # trials that failed: to be told, and to give up what they have in common
_SIMPLER = 10.0  # a pair must be so many times less probable than a single one
_OFTEN = 10  # trials per category, where one was never tried
_CUTS = 15  # of the values of a number


@dataclass(frozen=True)
class _Rule:
    """Values with which trials fail, and how often.

    Attributes
    ----------
    names, values : tuple
        Hyperparameters with a category or a range each.
    inside : ndarray of bool, shape (n,)
        Which trials have them.
    p : float
        The p-value.
    """

    names: tuple[str, ...]
    values: tuple[Any, ...]
    inside: _Rows
    p: float


def beware(run: Run, prospects: Prospects | None) -> list[Action]:
    """Return what to know before more trials are made."""
    found = [_failing(run, "failed", prospects), _failing(run, "pruned", prospects)]
    found.append(_rule_of(run, run.X, ~np.asarray(run.feasible), "infeasible", prospects))
    found += [_never_tried(run), _unanswered(run)]
    return [action for action in found if action is not None]


def _failing(run: Run, state: State, prospects: Prospects | None) -> Action | None:
    lost = [trial.x for trial in run.without_result.values() if trial.state == state]
    X = np.vstack([run.X, *(x[None] for x in lost)])
    return _rule_of(run, X, np.arange(len(X)) >= len(run), state, prospects)


def _rule_of(
    run: Run, X: Array, failed: _Rows, state: str, prospects: Prospects | None
) -> Action | None:
    """Return a warning of the values with which trials fail more often than by chance."""
    if failed.sum() < _FEWEST or failed.all():
        return None
    found = _best_rule(run, X, failed)
    if found is None:
        return None
    n, k = int(found.inside.sum()), int((found.inside & failed).sum())
    gain = None if prospects is None else prospects.of_sparing(k / len(X))
    evidence = _FAILS(
        names=found.names, values=found.values, state=state, failed=k, n=n,
        elsewhere=int(failed.sum()) - k, others=len(X) - n, p=found.p,
    )  # fmt: skip
    return Action(
        "beware", found.names, found.values, certain=True, evidence=(evidence,),
        gain=float("nan") if gain is None else gain.estimate,
        interval=None if gain is None else gain.interval,
        parameters=_without(run, found) if k == n and state != "pruned" else (),
    )  # fmt: skip


def _best_rule(run: Run, X: Array, failed: _Rows) -> _Rule | None:
    """Return the rule that explains failures best, if it does so better than chance."""
    rules = list(_singles(run, X))
    if not rules:
        return None
    inside = np.array([rows for _, _, rows in rules])  # (R, n)
    column = np.array([run.space.index(name) for name, _, _ in rules])
    singly = _p_values(inside.sum(axis=1), (inside & failed).sum(axis=1), failed)
    members = inside.astype(float)
    counts = (members @ members.T).round().astype(int)
    lost = (members @ (members * failed).T).round().astype(int)
    both = _p_values(counts, lost, failed)
    both[column[:, None] >= column] = 1.0  # of two hyperparameters, and each pair once
    tests = len(rules) + int((column[:, None] < column).sum())
    which, p = [int(np.argmin(singly))], float(singly.min())
    a, b = np.unravel_index(int(np.argmin(both)), both.shape)
    if both[a, b] * _SIMPLER < p:
        which, p = [int(a), int(b)], float(both[a, b])
    names, values, _ = zip(*(rules[i] for i in which), strict=True)
    found = _Rule(names, values, np.asarray(inside[which].all(axis=0)), tests * p)
    return found if found.p < _LEVEL else None


def _p_values(
    n: npt.NDArray[np.int64], k: npt.NDArray[np.int64], failed: _Rows
) -> npt.NDArray[np.float64]:
    """Return one-sided p-values of Fisher's test: of k or more failures among n trials by chance.

    1 where fewer than three of them failed: so few are not told.
    """
    from scipy.stats import hypergeom

    found = hypergeom.sf(k - 1, len(failed), int(failed.sum()), n)
    return np.where(k < _FEWEST, 1.0, found)


def _singles(run: Run, X: Array) -> Iterator[tuple[str, Any, _Rows]]:
    """Return each category, and both sides of a few cuts of each number."""
    for j, parameter in enumerate(run.space):
        column = X[:, j]
        if isinstance(parameter, CategoricalParameter):
            for code, choice in enumerate(parameter.choices):
                yield parameter.name, choice, column == code
            continue
        known = np.unique(column[~np.isnan(column)])
        if len(known) < 2:
            continue
        middle = (known[1:] + known[:-1]) / 2.0
        for cut in middle[np.unique(np.linspace(0, len(middle) - 1, _CUTS).astype(int))]:
            (value,) = parameter.decode(parameter.nearest(np.array([cut])))
            with np.errstate(invalid="ignore"):
                yield parameter.name, (parameter.low, value), column < cut
                yield parameter.name, (value, parameter.high), column > cut


def failing(space: SearchSpace, warnings: Sequence[Action]) -> Callable[[Array], _Rows]:
    """Return what tells of encoded rows (n, d) whether trials there failed, (n,)."""
    known = [action for action in warnings if action.evidence[0].kind == "fails_where"]

    def found(rows: Array) -> _Rows:
        hit = np.zeros(len(rows), dtype=bool)
        for action in known:
            hit |= _hit(space, rows, action)
        return hit

    return found


def _hit(space: SearchSpace, rows: Array, action: Action) -> _Rows:
    """Return which encoded rows have the values of an action that warns of them, (n,)."""
    inside = np.ones(len(rows), dtype=bool)
    for name, value in zip(action.hyperparameters, action.values, strict=True):
        parameter, column = space[name], rows[:, space.index(name)]
        low_high = [value] if isinstance(parameter, CategoricalParameter) else list(value)
        ends = parameter.encode(low_high)
        with np.errstate(invalid="ignore"):
            inside &= (column >= ends.min()) & (column <= ends.max())
    return inside


def _without(run: Run, rule: _Rule) -> tuple[Parameter, ...]:
    """Return a hyperparameter without the only category or range with which every trial fails."""
    if len(rule.names) != 1 or rule.inside.sum() < _MANY:
        return ()
    parameter, value = run.space[rule.names[0]], rule.values[0]
    if isinstance(parameter, CategoricalParameter):
        return (replace(parameter, choices=[c for c in parameter.choices if c is not value]),)
    low, high = value
    left = {"low": high} if low == parameter.low else {"high": low}
    return (replace(parameter, **left),)


def _never_tried(run: Run) -> Action | None:
    """Return categories that no trial has although there were enough."""
    rows = tried(run)
    missing: list[tuple[str, Any]] = []
    for j, parameter in enumerate(run.space):
        column = rows[:, j]
        if not isinstance(parameter, CategoricalParameter):
            continue
        if (~np.isnan(column)).sum() < _OFTEN * len(parameter.choices):
            continue
        left = [c for i, c in enumerate(parameter.choices) if not (column == i).any()]
        missing += [(parameter.name, choice) for choice in left]
    if not missing:
        return None
    names, values = zip(*missing, strict=True)
    evidence = _NEVER_TRIED(names=names, values=values, n=len(rows))
    return Action("beware", names, values, certain=True, evidence=(evidence,))


def _unanswered(run: Run) -> Action | None:
    """Return configurations that the user enqueued and whose trials ended without a result.

    Not those that have a result from another trial.
    """
    known = {row.tobytes() for row in run.X}
    complete = [
        number
        for number, trial in run.without_result.items()
        if trial.origin is Origin.ENQUEUED
        and not trial.under_way
        and trial.x.tobytes() not in known
        and run.space.is_valid(trial.x[None])[0]
    ]
    if not complete:
        return None
    config = run.space.decode(run.without_result[complete[0]].x[None])[0]
    return Action(
        "beware", certain=True, evidence=(_WITHOUT_RESULT(trials=complete),),
        configurations=(config,), trials=tuple(complete),
    )  # fmt: skip


# ---------------------------------------------------------------------- repeat

_CONTENDERS = 3
_TIMES = (1, 2, 3, 5)
_ENOUGH = 0.8  # of what could be gained by knowing all
_WORTH = 0.01  # of the spread of the good half, and at least as much as a new trial
_MOST_ROWS = 60  # among which contenders are sought
_DRAWS = 4000
_TIED = 3


def repeat(analyses: Analysed, candidates: Candidates) -> Action | None:
    """Return which trials to evaluate again, and how often, if that tells something."""
    run, model = analyses.run, analyses.run.surrogate()
    noise = _notable_noise(run)
    if noise is None or not isinstance(model, SupportsJoint):
        return _ties(run)
    if not analyses.believed:
        return None
    rows, trials = _best_rows(run, candidates)
    covariance = model.posterior_covariance(run.X[rows])
    mean = candidates.run.sign * model.predict(run.X[rows])[0]
    chosen = _contenders(mean, covariance)
    if len(chosen) < 2:
        return None
    mean, covariance = mean[chosen], covariance[np.ix_(chosen, chosen)]
    gains = [_gain(mean, covariance, noise**2 / times) for times in _TIMES]
    known = _gain(mean, covariance, 0.0)
    if known < max(_WORTH * candidates.spread, float(candidates.expected.max(initial=0.0))):
        return None  # a new configuration brings more than knowing these
    enough = [k for k, gain in enumerate(gains) if gain >= _ENOUGH * known]
    k = enough[0] if enough else len(_TIMES) - 1
    which = tuple(trials[i] for i in chosen)
    return Action(
        "repeat", gain=gains[k], interval=(0.0, known), certain=True, trials=which,
        evidence=(_again(run, noise), _HIDDEN(trials=which, noise=noise, known=known)),
        configurations=tuple(map(run.config, which)), times=_TIMES[k],
    )  # fmt: skip


def luck(analyses: Analysed) -> Fact | None:
    """Return what the best would score again, if noise has a part in that."""
    noise = _notable_noise(analyses.run)
    if noise is None or not analyses.believed:
        return None
    found = _again(analyses.run, noise)
    return found if abs(found["observed"] - found["mean"]) > found["std"] else None


def _notable_noise(run: Run) -> float | None:
    """Return the standard deviation of the noise, if it is known and not small."""
    noise = float(getattr(run.surrogate(), "noise_std", np.nan))
    spread = float(np.std(run.learned_cost()))
    notable = spread > 0.0 and np.nan_to_num(noise) >= NOTABLE_NOISE * spread
    return noise if notable else None


def _ties(run: Run) -> Action | None:
    """Return that the best trials cannot be told apart by their objective."""
    if not np.asarray(run.feasible).any():
        return None
    rows = run.X[[run.row(trial) for trial in run.tied]]
    first, _ = different_rows(rows)
    which = tuple(run.tied[i] for i in sorted(first.tolist()))
    if len(which) < _TIED or np.ptp(run.objective) == 0.0:
        return None
    return Action(
        "repeat", evidence=(_TIED_BEST(trials=which, objective=run.objective_name),),
        configurations=tuple(map(run.config, which[:_CONTENDERS])), trials=which,
    )  # fmt: skip


def _again(run: Run, noise: float) -> Fact:
    """Return what the incumbent would score again."""
    found = best_predicted(run)
    return _AGAIN(
        trials=[found.incumbent_trial], objective=run.objective_name,
        observed=found.incumbent_observed, mean=found.incumbent_mean, std=found.incumbent_std,
        noise=noise,
    )  # fmt: skip


def _best_rows(run: Run, candidates: Candidates) -> tuple[list[int], list[int]]:
    """Return rows of the best predicted feasible configurations, each once, and their trials."""
    first, _ = different_rows(run.X)
    rows = [int(i) for i in first if np.asarray(run.feasible)[i]]
    predicted = candidates.run.sign * run.surrogate().predict(run.X[rows])[0]
    chosen = [rows[i] for i in ranked(predicted)[:_MOST_ROWS]]
    return chosen, [int(np.asarray(run.trials)[i]) for i in chosen]


def _contenders(mean: Array, covariance: Array) -> list[int]:
    """Return the places that are most probably the least, the most probable first."""
    least = np.argmin(normal_draws(mean, covariance, _DRAWS, 0), axis=0)
    counts = np.bincount(least, minlength=len(mean))
    order = np.argsort(-counts, kind="stable")[:_CONTENDERS]
    return [int(i) for i in order if counts[i] >= 0.05 * _DRAWS]


def _gain(mean: Array, covariance: Array, variance: float) -> float:
    """Return min μ - E[min of the means after evaluations with a variance of the noise]."""
    noisy = covariance + (variance + 1e-12 * np.trace(covariance)) * np.eye(len(mean))
    of_means = covariance @ np.linalg.solve(noisy, covariance)
    return float(mean.min() - normal_draws(mean, of_means, _DRAWS, 0).min(axis=0).mean())


# ---------------------------------------------------------------------- wait

_LEAST = 16  # trials: fewer say nothing about how a model gets better
_FIRST = 10  # trials, and two per hyperparameter, before anything can be told
_OPEN = 0.5  # share of the variance left open by a model that can be relied on
_HALVES = 3
_SLOWEST = 0.15  # a: slower, more trials do not help
_LONGEST = 10.0  # times the trials: beyond, nothing is foretold


def wait(analyses: Analysed) -> tuple[Action | None, Fact | None]:
    """Return how many more trials are needed, or else why that cannot be told.

    Neither where enough is known.
    """
    if analyses.believed:
        return None, None
    found = _needed(analyses.run, analyses.trust.r2)
    if found is None or found.kind == "not_learning":
        return None, found
    return Action("wait", evidence=(found,)), None


def _needed(run: Run, r2: float) -> Fact | None:
    n = len(run)
    if n < _LEAST or math.isnan(r2):
        more = _FIRST + 2 * len(run.space) - n
        return None if more <= 0 else _TOO_FEW(n=n, more=more)
    left = float(np.clip(1.0 - r2, 0.02, 1.0))
    halves = [_left_open(thinned(run, n // 2, seed=seed)) for seed in range(_HALVES)]
    rate = math.log2(float(np.mean(halves)) / left)
    if left <= _OPEN:
        return None
    if rate < _SLOWEST or (left / _OPEN) ** (1.0 / rate) > _LONGEST:
        return _NOT_LEARNING(n=n, r2=r2)
    more = n * (left / _OPEN) ** (1.0 / rate) - n
    size = int(10.0 ** math.floor(math.log10(max(more, 1.0))))  # one digit, rounded up
    return _MORE_NEEDED(more=math.ceil(more / size) * size, r2=r2, wanted=1.0 - _OPEN)


def _left_open(run: Run) -> float:
    model = run.surrogate()
    if not isinstance(model, SupportsHeldOut):
        return 1.0
    held_out = model.held_out()
    found = r_squared(held_out.observed, held_out.mean)
    return 1.0 if math.isnan(found) else min(1.0 - found, 1.0)


# ---------------------------------------------------------------------- stop, go on

_NEGLIGIBLE = 0.001  # share of the spread: below, another trial brings nothing
_LITTLE = 0.01  # and all further ones
_LATELY, _LONG = 0.25, 0.5  # shares of the trials


def stop(analyses: Analysed, candidates: Candidates, prospects: Prospects) -> Action | None:
    """Return that nothing is left to gain, if nothing is, and was not lately."""
    place = candidates.most_promising()
    improved, brought = recent(analyses.run, _LONG)
    if place is None or improved or not analyses.believed:
        return None
    if candidates.expected[place] / candidates.spread >= _NEGLIGIBLE:
        return None
    expected, bound = prospects.left(candidates.rows)
    if bound >= _LITTLE * candidates.spread:
        return None
    evidence = (brought, *_left(analyses.run, expected, bound), candidates.reason(place))
    return Action("stop", gain=0.0, interval=(0.0, bound), certain=True, evidence=evidence)


def go_on(
    analyses: Analysed,
    candidates: Candidates | None,
    prospects: Prospects | None,
    because: Sequence[Fact] = (),
) -> Action:
    """Return that nothing can be changed for certain, and what is expected of further trials."""
    constant = not np.ptp(analyses.run.objective)
    evidence = [_NOTHING(level=analyses.trust.level, constant=constant), *because]
    if candidates is None or prospects is None:
        return Action("go_on", evidence=tuple(evidence))
    evidence.append(recent(analyses.run, _LATELY)[1])
    if not analyses.believed:
        return Action("go_on", evidence=tuple(evidence))
    expected, bound = prospects.left(candidates.rows)
    evidence += _left(analyses.run, expected, bound)
    return Action("go_on", gain=expected, interval=(0.0, bound), evidence=tuple(evidence))


def _left(run: Run, expected: float, bound: float) -> list[Fact]:
    """Return what is still to gain, under our model and by the framework's own bound."""
    found = [_LEFT(objective=run.objective_name, expected=expected, bound=bound)]
    regret_bound = getattr(run.record, "regret_bound", None)  # of a framework that knows one
    if regret_bound is not None and np.asarray(run.feasible).all():
        regret = regret_bound(np.asarray(run.trials).tolist(), run.objective)
        if regret is not None:
            found.append(_REGRET(bound=regret))
    return found


def _why_nothing(about: Fact) -> str:
    if about["constant"]:
        return "all trials have the same objective: nothing tells which values are better"
    if about["level"] in ("poor", "unknown"):
        return "the model predicts held-out trials too badly to give up any part of the space"
    return "no range can be given up and no hyperparameter fixed with confidence yet"

"""Two objectives: whether curves between them, and what is told of their front, are right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import optuna

import hpo_explain as hx
from hpo_explain.adapters.sources import as_runs
from tests.claims.asked import Scored, covers
from tests.claims.families.two import PAIRS, Two
from tests.claims.runs import Setting, interleaved, suggested
from tests.claims.shares import MATTERS, SLACK

SAMPLERS = {
    "random": optuna.samplers.RandomSampler,
    "tpe": optuna.samplers.TPESampler,
    "nsga": optuna.samplers.NSGAIISampler,
}
TRIALS = (60, 100)
NOISES = (0.01, 0.1, 0.5)
AT = (0, 2, 5, 8, 10)
"""Places of the weights that are asked for: both ends, and between them."""


@cache
def pairs() -> tuple[Two, ...]:
    """All problems of two objectives; the truth of each is computed once."""
    return tuple(make() for make in PAIRS)


def settings(names: Sequence[str], seeds: Sequence[int]) -> list[Setting]:
    """Return every pair of objectives with every sampler, number of trials, noise and seed.

    Whether the other objective is maximized alternates.
    """
    return interleaved(pairs(), NOISES, SAMPLERS, TRIALS, seeds, names)


def optimized(setting: Setting) -> optuna.Study:
    """Return a study of both objectives."""
    problem, noise = setting.problem, setting.noise
    rng = np.random.default_rng([setting.seed, setting.n])
    sign = -1.0 if setting.maximize else 1.0

    def objectives(trial: optuna.Trial) -> tuple[float, float]:
        x = problem.row_of(suggested(trial, problem))[0]
        first = problem.evaluate(x, noise, rng)
        return first, sign * problem.other.evaluate(x, noise, rng)

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        directions=["minimize", "maximize" if setting.maximize else "minimize"],
        sampler=SAMPLERS[setting.sampler](seed=setting.seed),
    )
    study.optimize(objectives, n_trials=setting.n)
    return study


def trade_off(setting: Setting) -> Iterator[Scored]:
    """Of every hyperparameter its curve at some weights, and whether it matters more or less."""
    problem, study = setting.problem, optimized(setting)
    result = hx.importance(study, target="trade-off")
    ranges = np.ptp([trial.values for trial in study.trials], axis=0)
    truth = np.array(
        [problem.shares_between((1.0 - w) / ranges[0], w / ranges[1]) for w in result.weights]
    )
    low, high = result.ends
    for place in AT:
        for j, known in enumerate(truth[place].tolist()):
            ends = low[place, j], high[place, j]
            yield Scored(
                "share between objectives",
                covered=covers(ends, known, SLACK),
                stated=result.estimate[place, j],
                known=known,
                width=float(np.ptp(ends)),
            )
    for claim in result.claims:
        j = problem.space.names.index(claim.hyperparameters[0])
        change = float(truth[-1, j] - truth[0, j])
        upward = claim.side == "above"
        yield Scored(
            "change between objectives",
            certain=claim.certain,
            right=change > 0.0 if upward else change < 0.0,
            covered=covers(claim.interval, change, SLACK),
            could=abs(change) > MATTERS,
            stated=claim.estimate,
            known=change,
        )


def front(setting: Setting) -> Iterator[Scored]:
    """Of the front what matters, the trial to take at equal ranges, and what to try."""
    problem, runs = setting.problem, as_runs(optimized(setting))
    for top, kind in ((None, "share of the Pareto rank"), (0.1, "share of the least dominated")):
        frame = hx.importance(runs, target="pareto_rank", top=top).to_frame()
        truth = dict(zip(problem.space.names, problem.shares_of_front(top).tolist(), strict=True))
        for name, row in frame.iterrows():
            yield Scored(
                kind,
                covered=covers((row.lower, row.upper), truth[name], SLACK),
                stated=row.importance,
                known=truth[name],
                width=row.upper - row.lower,
            )
    trade = {name: 1.0 / float(np.ptp(run.objective)) for name, run in runs.items()}
    found, weights = hx.pareto(runs, trade_off=trade), np.array([*trade.values()])
    tried = costs(problem, next(iter(runs.values())).X)
    sums = tried[found.front] @ weights
    chosen = found.trials[found.front].tolist().index(found.choice.trial)
    best = bool(sums[chosen] <= sums.min() + 1e-12)
    decision = found.choice.is_best
    yield Scored(
        "best at a trade-off",
        certain=decision.certain,
        right=best,
        stated=decision.probability,
        known=float(best),
    )
    if found.extension is not None:
        new = costs(problem, problem.row_of(found.extension.configuration))
        beats = (tried <= new).all(axis=1) & (tried < new).any(axis=1)
        stated, known = found.extension.joins.probability, float(not beats.any())
        yield Scored("extends a front", right=bool(known), stated=stated, known=known)


def costs(problem: Two, X: np.ndarray) -> np.ndarray:
    """Return both costs at encoded rows, (n, 2)."""
    return np.column_stack([problem.cost(X), problem.other.cost(X)])

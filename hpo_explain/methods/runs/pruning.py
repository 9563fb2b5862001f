"""Pruning: why trials were stopped, what that saved, and what it may have lost.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
y_s        what a trial reported at step s; the last one reported holds on
y          its final value, the objective
z_s        normal score of y_s among all trials that reached step s
ρ_s        correlation of final ranks with ranks at s: ``z = ρ_s z_s + √(1 − ρ_s²) ε``
=========  ============================================================================

A trial that was pruned at s would have been the best if its z were beyond that of every finished
trial, in this Gaussian copula. It has ranks at its own step alone, so that no curve is extrapolated
to values that no trial reached. ρ_s is learned from the finished trials, whose ranks at s lie
closer together than those of all: their correlation is corrected for that (Thorndike 1949, case 2).
What is supposed before any has finished counts as so many of them; `_SUPPOSED` was chosen on real
learning curves by how well probabilities are calibrated (``tests/claims/pruning.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import ndtri

from hpo_explain.base import (
    Claim,
    InputError,
    NothingToExplain,
    Result,
    Table,
    attributes,
    counted,
    fact,
    format_value,
    mean_ranks,
    percent,
    spans,
)
from hpo_explain.methods.runs.replays import Replay, replays_of
from hpo_explain.methods.runs.timeline import in_time
from hpo_explain.question import Question, explains
from hpo_explain.run import Curves, Run
from hpo_explain.space import Array, Bools, Ints

_LEAST = 5  # finished trials: below, ranks tell nothing
_DRAWS = 2000
_SUPPOSED = 5, 0.8  # as so many trials that tell an artanh ρ of this
_WIDEST = 3.0  # times: how much more all scatter than the finished ones
_NAMED = 0.2  # a pruned trial that would have been the best with this chance is named
_KEPT = 0.95
_LEAST_TOLD = 0.1  # of chances below .05 so many were true where nothing was chosen


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pruning(Result):
    """Which trials were pruned and why, what that saved, and what it may have lost.

    Attributes
    ----------
    curves : Curves
        What the trials reported.
    final : ndarray of shape (m,)
        The objective of each of these; NaN where it has none.
    trials : ndarray of int, shape (p,)
        The pruned trials by number.
    steps, values : ndarray of shape (p,)
        The step at which each was pruned, and what it had reported there, in objective's units.
    others : ndarray of int, shape (p,)
        How many trials had finished by then.
    median : ndarray of shape (p,)
        The median of what these had reported at that step; NaN where there was none.
    p_best : ndarray of shape (p,)
        How probable it is that each would have been better than the best finished trial.
    p_lost : float
        How probable it is that any would have been.
    saved : float
        The share of steps that were not run, of those that all trials would have taken.
    seconds_saved : float
        How long these would have taken; NaN where times are not known.
    replays : tuple of Replay
        What pruners would have done with the finished trials, from the mildest on.

    References
    ----------
    .. [1] Thorndike, R. L. (1949). Personnel selection. Case 2.
    .. [2] Li, L., Jamieson, K., Rostamizadeh, A. et al. (2020). A system for massively parallel
       hyperparameter tuning. MLSys. Algorithm 2 (successive halving).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rows = [
    ...     (i, i / 20, epoch, i + 9.0 / epoch)
    ...     for i in range(20)
    ...     for epoch in ((1, 2, 3) if i % 4 else (1,))
    ... ]
    >>> table = pd.DataFrame(rows, columns=["id", "lr", "epoch", "loss"])
    >>> table["status"] = ["finished" if i % 4 else "pruned" for i, *_ in rows]
    >>> roles = {"objective": "loss", "trial": "id", "fidelity": "epoch", "status": "status"}
    >>> found = hx.methods.pruning(table, **roles)
    >>> found.trials.tolist(), round(found.saved, 2)
    ([0, 4, 8, 12, 16], 0.17)
    >>> found.why(16)
    'pruned at epoch 1: 25, worse than the median 17 of 12 trials then'
    """

    table: ClassVar[Table] = Table(
        index=("trial", "trials"),
        columns=attributes("others", "median", "p_best", step="steps", value="values"),
        held=attributes(
            "p_lost",
            "saved",
            "seconds_saved",
            pruned=lambda result: result.to_frame().reset_index().to_dict(orient="list"),
            replays=lambda result: [vars(replay) for replay in result.replays],
        ),
    )
    curves: Curves
    final: Array
    trials: Ints
    steps: Array
    values: Array
    others: Ints
    median: Array
    p_best: Array
    p_lost: float
    saved: float
    seconds_saved: float
    replays: tuple[Replay, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What may have been lost, what was saved, and how hard a pruner loses nothing."""
        every = len(self.curves)
        n, name = len(self.trials), self.curves.step_name
        if not n:
            text = f"None of {counted(every, 'trial')} was pruned."
            return (Claim("tried", (), 0.0, text=text), *self._replayed())
        which = ""
        likely = int(self.trials[np.argmax(self.p_best)])
        if self.p_best.max() >= _NAMED:
            which = f", most likely trial {likely} ({percent(self.p_best.max())})"
        one = "it" if n == 1 else "one of them"
        chance = percent(self.p_lost)
        if self.p_lost < _LEAST_TOLD:
            chance = f"at most {percent(_LEAST_TOLD)}"
        lost = (
            f"{counted(n, 'trial')} of {every} {'was' if n == 1 else 'were'} pruned; the chance "
            f"that {one} would have been the best is {chance}{which}."
        )
        took = ""
        if np.isfinite(self.seconds_saved):
            took = f", about {in_time(self.seconds_saved)}"
        saved = f"That saved {percent(self.saved)} of all {name}s{took}."
        return (
            Claim("best", (), self.p_lost, probability=self.p_lost, text=lost),
            Claim("tried", (), self.saved, text=saved),
            *self._replayed(),
        )

    def _replayed(self) -> tuple[Claim, ...]:
        """Return which pruner saves most among those that keep the best finished trial."""
        keeping = [replay for replay in self.replays if replay.p_kept >= _KEPT]
        done = counted(int(np.isfinite(self.final).sum()), "finished trial")
        start = f"Replayed on the {done} in random orders,"
        if not keeping:
            mild = self.replays[0]
            text = (
                f"{start} every pruner would lose the best: the mildest ({mild.name}) in "
                f"{percent(1.0 - mild.p_kept)} of the orders."
            )
            return (Claim("keep", (), mild.saved, probability=mild.p_kept, text=text),)
        most = max(keeping, key=lambda replay: replay.saved)
        text = (
            f"{start} {most.name} would have saved {percent(most.saved)} of their "
            f"{self.curves.step_name}s and kept the best in {percent(most.p_kept)} of the orders."
        )
        return (Claim("keep", (), most.saved, probability=most.p_kept, text=text),)

    def why(self, trial: int) -> str:
        """Return why a trial was pruned, by what others had reported at its step.

        Raises
        ------
        InputError
            If it is no pruned trial that reported a value.
        """
        rows = np.flatnonzero(self.trials == trial)
        if not len(rows):
            pruned = spans(self.trials) or "none"
            raise InputError("trial", f"{trial} was not pruned", trial, f"Pruned trials: {pruned}.")
        i = int(rows[0])
        at = f"pruned at {self.curves.step_name} {self.steps[i]:g}: {format_value(self.values[i])}"
        if not self.others[i]:
            return f"{at}, before any other trial had finished"
        better = self.values[i] < self.median[i]
        is_better = better if self.direction == "minimize" else self.values[i] > self.median[i]
        than = "no worse" if is_better or self.values[i] == self.median[i] else "worse"
        others = counted(int(self.others[i]), "trial")
        return f"{at}, {than} than the median {format_value(self.median[i])} of {others} then"


@explains(of="optimizer", without=())
def pruning(question: Question) -> Pruning:
    """Explain why trials were pruned, what that saved, and what it may have lost.

    It needs values that trials reported step by step: intermediate values of Optuna, iterations of
    Ray Tune, or a table with one row per trial and step (``trial=``, ``fidelity=``). No framework
    records which pruner ran, so trials are compared with the median of earlier ones.

    Returns
    -------
    Pruning
        The pruned trials, each with its chance of having become the best; the saved steps and
        time; and what other pruners would have done with the finished trials.

    Raises
    ------
    NothingToExplain
        If no trial reported values, or fewer than five of those that did are finished.

    Examples
    --------
    >>> import numpy as np
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(
    ...     sampler=optuna.samplers.RandomSampler(seed=0), pruner=optuna.pruners.MedianPruner()
    ... )
    >>> def objective(trial):
    ...     lr = trial.suggest_float("lr", 0.0, 1.0)
    ...     for epoch in range(5):
    ...         trial.report(lr + np.exp(-epoch), epoch)
    ...         if trial.should_prune():
    ...             raise optuna.TrialPruned
    ...     return lr + np.exp(-4.0)
    >>> study.optimize(objective, n_trials=40)
    >>> found = hx.methods.pruning(study)
    >>> len(found.trials), bool(found.p_lost < 0.05)
    (24, True)
    """
    run, curves = question.run, question.run.curves
    if curves is None:
        raise NothingToExplain(
            fact(
                f"no trial reported the {run.objective_name} step by step. Report it with "
                "trial.report in Optuna, or give a table with one row per trial and step, and the "
                "names of its columns as trial and fidelity."
            )
        )
    objective = dict(zip(run.trials.tolist(), run.objective.tolist(), strict=True))
    final = np.array([objective.get(trial, np.nan) for trial in curves.trials.tolist()])
    done = np.flatnonzero(~np.isnan(final))
    if len(done) < _LEAST:
        some = f"{counted(len(done), 'trial')} with values step by step finished"
        raise NothingToExplain(fact(f"{some}; what pruning may lose needs at least {_LEAST}"))
    pruned = np.flatnonzero([_was_pruned(run, trial) for trial in curves.trials.tolist()])
    held = curves.held()
    last = np.array([np.flatnonzero(~np.isnan(row))[-1] for row in held])
    others, median = _then(run, curves, held, last, pruned, done)
    would = _would_be_best(
        run.sign * held, run.sign * final, last, pruned, np.random.default_rng(question.seed)
    )
    missing = np.maximum(int(np.median(last[done])) - last[pruned], 0)
    return Pruning(
        subject=question.subject(),
        curves=curves,
        final=final,
        trials=curves.trials[pruned],
        steps=curves.steps[last[pruned]],
        values=held[pruned, last[pruned]],
        others=others,
        median=median,
        p_best=would.mean(axis=0),
        p_lost=float(would.any(axis=1).mean()),
        saved=float(missing.sum() / (missing.sum() + (last + 1).sum())),
        seconds_saved=_seconds(run, curves, last, pruned, missing),
        replays=replays_of(run.sign * held[done], run.sign * final[done], seed=question.seed),
    )


def _was_pruned(run: Run, trial: int) -> bool:
    return trial in run.excluded and run.excluded[trial].kind == "pruned"


def _then(
    run: Run, curves: Curves, held: Array, last: Ints, pruned: Ints, done: Ints
) -> tuple[Ints, Array]:
    """Return of how many finished trials the value was known at each pruned one's step, and which.

    Those that had finished when it was pruned, by time where that is known, else by number.
    """
    finish = {number: when for number, _, when in zip(*run.clock(), strict=True)}
    when = np.array([finish.get(trial, np.nan) for trial in curves.trials.tolist()])
    counts, medians = [], []
    for i in pruned:
        timed = np.isfinite(when[done]) & np.isfinite(when[i])
        before = np.where(timed, when[done] <= when[i], curves.trials[done] < curves.trials[i])
        values = held[done[before], last[i]]
        values = values[~np.isnan(values)]
        counts.append(len(values))
        medians.append(np.median(values) if len(values) else np.nan)
    return np.array(counts, dtype=np.int64), np.array(medians, dtype=float)


def _seconds(run: Run, curves: Curves, last: Ints, pruned: Ints, missing: Ints) -> float:
    """Return how long steps that were not run would have taken, each as long as the trial's own."""
    if not len(pruned):
        return float("nan")
    took = {n: finish - start for n, start, finish in zip(*run.clock(), strict=True)}
    seconds = np.array([took.get(trial, np.nan) for trial in curves.trials[pruned].tolist()])
    return float((seconds / (last[pruned] + 1) * missing).sum())


def _would_be_best(
    cost: Array, final: Array, last: Ints, pruned: Ints, rng: np.random.Generator
) -> Bools:
    """Return in which of k draws each pruned trial would have been the best, (k, p).

    Parameters
    ----------
    cost, final : ndarray of shape (m, S) and (m,)
        What was reported by each step, and finally; smaller is better, NaN for nothing.
    last : ndarray of int, shape (m,)
        The place of each trial's last step.
    pruned : ndarray of int, shape (p,)
        The rows of the pruned trials.
    rng : numpy.random.Generator
        Draws of what ranks leave open are the same at all steps.
    """
    done = np.flatnonzero(~np.isnan(final))
    of_rho = rng.standard_normal(_DRAWS)
    of_done = rng.standard_normal((_DRAWS, len(done)))
    of_pruned = rng.standard_normal((_DRAWS, len(pruned)))
    would = np.zeros((_DRAWS, len(pruned)), dtype=bool)
    for s in np.unique(last[pruned]):
        here = np.flatnonzero(last[pruned] == s)
        reached = np.flatnonzero(~np.isnan(cost[:, s]))
        z = np.full(len(cost), np.nan)
        z[reached] = _normal_scores(cost[reached, s])
        has_score = ~np.isnan(z[done])
        of_them = done[has_score]
        rho = _correlations(z[reached], z[of_them], _normal_scores(final[of_them]), of_rho)
        rest = np.sqrt(1.0 - rho**2)
        best = (rho * z[of_them] + rest * of_done[:, has_score]).min(axis=1, keepdims=True)
        would[:, here] = rho * z[pruned[here]] + rest * of_pruned[:, here] < best
    return would


def _normal_scores(values: Array) -> Array:
    scores: Array = ndtri((mean_ranks(values) - 0.375) / (len(values) + 0.25))
    return scores


def _correlations(every: Array, z: Array, final: Array, draws: Array) -> Array:
    """Return draws of ρ from the scores of finished trials at a step and at the end, (k, 1)."""
    weight, at = 0.5, 0.0
    if len(z) >= 3 and np.ptp(z) > 0.0 and np.ptp(final) > 0.0:
        weight = max(len(z) - 3, 0.5)
        at = float(np.arctanh(np.clip(np.corrcoef(z, final)[0, 1], -0.98, 0.98)))
    supposed, prior = _SUPPOSED
    n = weight + supposed
    rho = np.tanh((weight * at + supposed * prior) / n + draws[:, None] / np.sqrt(n))
    wider = min(every.std() / z.std(), _WIDEST) if len(z) > 1 and z.std() > 0.0 else 1.0
    corrected: Array = rho * wider / np.sqrt(1.0 - rho**2 + (rho * wider) ** 2)
    return corrected

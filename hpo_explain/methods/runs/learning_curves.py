"""How early trials have their final rank, and what stopping them early would have cost.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
y_s        what the finished trials reported at step s; the last one reported holds on
y          their final values, the objective
ρ_s        rank correlation of y_s and y (Spearman)
τ_s        Kendall's rank correlation of both
z          artanh ρ_s, of standard error √((1 + ρ_s²/2) / (n − 3)) (Bonett and Wright, Eq. 6)
=========  ============================================================================

From which step on ρ_s is above a level is tested backwards from the last step, until the first one
where the lower end of its interval is not: to name a step too early, the test of the last step at
which ρ_s is truly below must fail, so that no correction for the number of steps is needed.

Of n trials ρ_s is too small on average: ``E ρ_s = ((n − 2) ρ + 3 τ) / (n + 1)`` (Moran 1948), which
is much of ``1 − ρ`` where ranks nearly agree. So the end away from 0 is that of the estimate
without this bias; the other one is that of ρ_s as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau, rankdata

from hpo_explain.base.checks import (
    check_count,
    check_fraction,
    check_option,
    check_seed,
    check_sequence,
)
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact
from hpo_explain.base.numbers import NORMAL_95
from hpo_explain.base.options import KINDS, Kind
from hpo_explain.base.phrases import counted
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.importance.fanova import FanovaExplainer
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.runs.learning_curves_result import (
    FINISHED_ONLY,
    LearningCurves,
    PrunerReplay,
)
from hpo_explain.methods.runs.pruners import RULES
from hpo_explain.question.explains import Question, explains
from hpo_explain.question.given import surrogate_of
from hpo_explain.run import Curves, Pruner, Run, thinned
from hpo_explain.space import Array

_LEAST = 3  # finished trials: with two, every correlation is 1 or -1
_LEAST_FOR_INTERVAL = 5
_LEAST_FOR_SHARES = 10
_MOST_FOR_SHARES = 200  # trials, per step: another model for each
_MOST_VALUES = 1_000_000  # that are replayed, over all orders
_MOST_ASKED = 20_000  # values for which a framework's own pruner is asked

_NO_CURVES = declared_fact(
    "no_curves",
    "no trial reported the {objective} step by step. Report it with trial.report in Optuna, or "
    "give a table with one row per trial and step, and the names of its columns as trial and "
    "fidelity.",
)
_FEW = declared_fact(
    "few_curves_finished",
    "{n} with values step by step finished; ranks need at least 3",
    n=lambda fact: counted(fact["finished"], "trial"),
)
_ENDS_ELSEWHERE = declared_fact(
    "ends_elsewhere",
    "the last value reported is not the objective itself in {n} of {finished} finished trials",
)
_NOT_ASKED = declared_fact(
    "pruner_not_asked",
    "the run's own pruner was not replayed: {values} values take too long",
)
_FAILED = declared_fact(
    "pruner_failed", "{label} was not replayed, as it failed ({error})"
)


@explains(of="surrogate", without=("surrogate",))
def learning_curves(
    question: Question,
    *,
    enough: float = 0.8,
    at: Sequence[float] | None = None,
    orders: int = 50,
) -> LearningCurves:
    """Say how early the final rank of trials is known, and whether a pruner would cost the best.

    It needs values that trials reported step by step: intermediate values of Optuna, iterations of
    Ray Tune, or a table with one row per trial and step (``trial=``, ``fidelity=``). Pruned trials
    tell what values at a step depend on; ranks and regrets are those of finished trials. `kind` is
    the model of the value at a step.

    Parameters
    ----------
    enough : float, default 0.8
        The rank correlation with the final values that is asked for.
    at : sequence of float, optional
        The steps at which it is asked what the value depends on; by default the first one, one
        after a quarter of the steps, and the last one. Steps with fewer than 10 trials are passed
        over.
    orders : int, default 50
        In how many random orders of the trials pruners are replayed, at most.

    Returns
    -------
    LearningCurves
        The rank correlation at each step, what pruners would have done to the finished trials (the
        median rule, successive halving, Hyperband, and the study's own pruner), and at a few steps
        the shares of hyperparameters.

    Raises
    ------
    NothingToExplain
        If no trial reported a value, or fewer than three of those that did have finished.
    ValueError
        If an option is not allowed.

    References
    ----------
    .. [1] Li, L. et al. (2018). Hyperband: a novel bandit-based approach to hyperparameter
       optimization. JMLR 18(185).

    Examples
    --------
    >>> import numpy as np
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     lr = trial.suggest_float("lr", 0.0, 1.0)
    ...     for epoch in range(5):
    ...         trial.report(lr + np.exp(-epoch), epoch)
    ...     return lr + np.exp(-4.0)
    >>> study.optimize(objective, n_trials=20)
    >>> hx.methods.learning_curves(study).known_from
    0.0
    """
    check_option("kind", question.kind, KINDS)
    explainer = LearningCurvesExplainer(question.run, seed=question.seed)
    return explainer.explain(
        enough=enough, at=at, orders=orders, kind=question.kind
    )


class LearningCurvesExplainer:
    """Compares what trials reported on the way with what came of them.

    Parameters
    ----------
    run : Run
        The run, with `Run.curves`.
    subject : Subject, optional
        What is explained; by default ``Subject.of(run)``.
    seed : int, default 0
        Seed of random orders and models.

    Raises
    ------
    NothingToExplain
        If no trial reported a value, or fewer than three of those that did have finished.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65. Eq. 6.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X, trials = space.sample(30, seed=0), np.arange(30)
    >>> values = X * [0.0, 1.0, 1.0]  # nothing is known at the first step
    >>> curves = Curves(trials, X, [1, 2, 3], values)
    >>> run = hx.Run(space, X, X[:, 0], "minimize", curves=curves)
    >>> LearningCurvesExplainer(run).explain(at=()).known_from
    2.0
    """

    def __init__(
        self, run: Run, *, subject: Subject | None = None, seed: int = 0
    ) -> None:
        if run.curves is None:
            raise NothingToExplain(_NO_CURVES(objective=run.objective_name))
        self._run = run
        self._curves: Curves = run.curves
        self._subject = Subject.of(run) if subject is None else subject
        self._seed = check_seed(seed)
        places = {
            int(trial): row
            for row, trial in enumerate(np.asarray(run.trials).tolist())
        }
        rows = [
            places.get(trial, -1) for trial in self._curves.trials.tolist()
        ]
        self._final = np.where(
            np.array(rows) >= 0, run.objective[rows], np.nan
        )
        finished = int((~np.isnan(self._final)).sum())
        if finished < _LEAST:
            raise NothingToExplain(_FEW(finished=finished))
        self._sign = run.sign

    @shows_progress
    def explain(
        self,
        *,
        enough: float = 0.8,
        at: Sequence[float] | None = None,
        orders: int = 50,
        kind: Kind = "auto",
    ) -> LearningCurves:
        """Return how early ranks are known, and what pruners would have done.

        Parameters
        ----------
        enough : float, default 0.8
            The rank correlation that is asked for.
        at : sequence of float, optional
            The steps at which it is asked what the value depends on; by default the first one, one
            after a quarter of the steps, and the last one. Steps with fewer than 10 trials are
            passed over.
        orders : int, default 50
            In how many random orders pruners are replayed, at most.
        kind : {"auto", "gp", "forest"}, default "auto"
            The model of the value at a step, as in :meth:`Run.surrogate`.

        Raises
        ------
        InputError
            If `enough` is not between 0 and 1, or `at` names a step at which nothing was reported.
        """
        check_fraction("enough", enough)
        check_count("orders", orders, minimum=0)
        curves, final = self._curves, self._final
        held, done = curves.held(), ~np.isnan(final)
        there = ~np.isnan(held)
        last = len(curves.steps) - 1
        ranks = [
            self._ranks(held[:, s], there[:, s] & done, at_end=s == last)
            for s in range(last + 1)
        ]
        correlation, lower, upper, rank, regret = np.array(ranks).T
        ends = final[done] != _last(curves)[done]
        elsewhere = int(ends.sum())
        notes: list[Fact] = []
        if elsewhere:
            notes.append(
                _ENDS_ELSEWHERE(n=elsewhere, finished=int(done.sum()))
            )
        if self.unfinished:
            notes.append(FINISHED_ONLY(unfinished=self.unfinished))
        replays, about = self._replays(orders)
        shares = {
            step: self._shares(held, step, kind)
            for step in self._asked(at, there)
        }
        return LearningCurves(
            subject=self._subject,
            curves=curves,
            final=final,
            trials=there.sum(axis=0),
            finished=(there & done[:, None]).sum(axis=0),
            correlation=correlation,
            lower=lower,
            upper=upper,
            enough=enough,
            related_from=_from(curves.steps, lower, 0.0),
            known_from=_from(curves.steps, lower, enough),
            pick_rank=rank,
            pick_regret=regret,
            replays=replays,
            shares={
                step: result
                for step, result in shares.items()
                if result is not None
            },
            notes=(*notes, *about, *self._subject.notes),
        )

    @property
    def unfinished(self) -> int:
        """How many trials reported something, but have no final value."""
        return int(np.isnan(self._final).sum())

    # ------------------------------------------------------------------ ranks

    def _ranks(
        self, values: Array, rows: npt.NDArray[np.bool_], *, at_end: bool
    ) -> tuple[float, float, float, float, float]:
        """Return ρ, its interval, and the final rank and regret of the best at a step."""
        unknown = float("nan")
        n = int(rows.sum())
        if n < 1:
            return (unknown,) * 5
        y, y_s = self._sign * self._final[rows], self._sign * values[rows]
        best = (
            y_s == y_s.min()
        )  # several that tie: one of them is picked at random
        rank, regret = (
            rankdata(y, "min")[best].mean(),
            (y[best] - y.min()).mean(),
        )
        if n < _LEAST or y.min() == y.max() or y_s.min() == y_s.max():
            return unknown, unknown, unknown, float(rank), float(regret)
        rho = float(np.corrcoef(rankdata(y_s), rankdata(y))[0, 1])
        # the last value is the objective itself: no finding about trials
        same = at_end and np.array_equal(y, y_s)
        lower, upper = (
            (1.0, 1.0)
            if same
            else interval(rho, n, float(kendalltau(y_s, y).statistic))
        )
        return (
            min(max(rho, -1.0), 1.0),
            lower,
            upper,
            float(rank),
            float(regret),
        )

    # ------------------------------------------------------------------ pruners

    def _replays(
        self, orders: int
    ) -> tuple[tuple[PrunerReplay, ...], list[Fact]]:
        """Return what pruners would have done, and what was not asked."""
        curves = self._curves
        if len(curves.steps) < 2:
            return (), []
        found = []
        reported = int((~np.isnan(curves.values)).sum())
        notes: list[Fact] = []
        if curves.pruner is not None and reported > _MOST_ASKED:
            notes.append(_NOT_ASKED(values=reported))
        elif curves.pruner is not None:
            try:
                found.append(self._replay(curves.pruner, 0, own=True))
            except Exception as error:  # it may be anybody's code
                what = f"{type(error).__name__}: {error}"
                notes.append(_FAILED(label=curves.pruner.label, error=what))
        most = min(orders, max(_MOST_VALUES // curves.values.size, 1))
        found += [self._replay(rule, most) for rule in RULES]
        return tuple(found), notes

    def _replay(
        self, pruner: Pruner, orders: int, *, own: bool = False
    ) -> PrunerReplay:
        curves, done = self._curves, ~np.isnan(self._final)
        costs, cost = self._sign * curves.values, self._sign * self._final
        n = len(curves.steps)
        there = ~np.isnan(costs[done])

        def stops(
            order: npt.NDArray[np.int64], seed: int
        ) -> npt.NDArray[np.int64]:
            at = np.empty(len(order), dtype=np.int64)
            at[order] = pruner.stopped(
                curves.steps, costs[order], done[order], seed
            )
            return at[done]

        def lost(at: npt.NDArray[np.int64]) -> tuple[float, int]:
            finals = cost[done]
            kept = finals[at == n]
            best = float(kept.min()) if len(kept) else float(finals.max())
            return best - float(finals.min()), int((finals < best).sum()) + 1

        at = stops(np.arange(len(curves)), self._seed)
        unpaid = there & (np.arange(n) > at[:, None])
        regret, rank = lost(at)
        rng = np.random.default_rng(self._seed)
        others = [
            lost(stops(rng.permutation(len(curves)), i)) for i in range(orders)
        ]
        regrets = np.array([loss for loss, _ in others])
        over = {}
        if orders:
            over = {
                "best_stopped": float(
                    np.mean([place > 1 for _, place in others])
                ),
                "regret_mean": float(regrets.mean()),
                "regret_high": float(np.quantile(regrets, 0.95)),
            }
        saved = float(unpaid.sum() / there.sum())
        return PrunerReplay(
            pruner.label, own, at < n, saved, regret, rank, orders, **over
        )

    # ------------------------------------------------------------------ effects

    def _asked(
        self, at: Sequence[float] | None, there: npt.NDArray[np.bool_]
    ) -> list[float]:
        """Return the steps whose values are explained."""
        steps = self._curves.steps.tolist()
        if at is not None:
            asked = check_sequence("at", at, "steps")
            wrong = [step for step in asked if step not in steps]
            if wrong:
                shown = ", ".join(f"{step:g}" for step in steps[:20])
                more = ", ..." if len(steps) > 20 else ""
                problem = (
                    f"must name steps with a value, but names {wrong[0]!r}"
                )
                raise InputError(
                    "at", problem, wrong[0], f"Steps: {shown}{more}."
                )
            return [float(step) for step in asked]
        enough = np.flatnonzero(there.sum(axis=0) >= _LEAST_FOR_SHARES)
        if not len(enough):
            return []
        few = dict.fromkeys(enough[[0, (len(enough) - 1) // 4, -1]].tolist())
        return [steps[i] for i in few]

    def _shares(
        self, held: Array, step: float, kind: Kind
    ) -> FanovaImportance | None:
        """Return on which hyperparameters the value at a step depends, if enough have one."""
        curves, run = self._curves, self._run
        values = held[:, int(np.searchsorted(curves.steps, step))]
        rows = np.flatnonzero(np.isfinite(values))
        if len(rows) < _LEAST_FOR_SHARES or np.ptp(values[rows]) == 0.0:
            return None
        numbers = curves.trials[rows]
        proposed = {*(run.proposals or ())}
        then = Run(
            run.space,
            curves.X[rows],
            values[rows],
            run.direction,
            trials=numbers,
            proposals=[
                trial for trial in numbers.tolist() if trial in proposed
            ],
            objective_name=f"{run.objective_name} at {curves.step_name} {step:g}",
        )
        then = thinned(then, _MOST_FOR_SHARES, seed=self._seed)
        surrogate, _ = surrogate_of(then, None, kind, self._seed)
        subject = replace(Subject.of(then), optimizer=run.optimizer)
        return FanovaExplainer(
            surrogate, subject=subject, seed=self._seed
        ).explain()


def interval(rho: float, n: int, tau: float) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation of n pairs; NaN for fewer than 5.

    Where all ranks agree, the lower end is that of ranks of which two neighbours are swapped.

    Parameters
    ----------
    rho, tau : float
        Spearman's and Kendall's rank correlation.
    n : int
        Number of pairs.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65, 23-28. Eq. 6.
    .. [2] Moran, P. A. P. (1948). Rank correlation and product-moment correlation. Biometrika 35,
       203-206.

    Examples
    --------
    >>> lower, upper = interval(0.5, 50, 0.35)
    >>> round(lower, 2), round(upper, 2)
    (0.24, 0.7)
    """
    if n < _LEAST_FOR_INTERVAL:
        return float("nan"), float("nan")
    largest = 1.0 - 12.0 / (n**3 - n)
    without_bias = ((n + 1.0) * rho - 3.0 * tau) / (n - 2.0)
    low, high = min(without_bias, rho), max(without_bias, rho)

    def end(at: float, sign: float) -> float:
        half = NORMAL_95 * np.sqrt((1.0 + min(at**2, 1.0) / 2.0) / (n - 3.0))
        return float(
            np.tanh(np.arctanh(np.clip(at, -largest, largest)) + sign * half)
        )

    return (
        -1.0 if low <= -largest else end(low, -1.0),
        1.0 if high >= largest else end(high, 1.0),
    )


def _from(steps: Array, lower: Array, level: float) -> float | None:
    """Return the step from which on the lower end is above a level at all steps with an interval.

    Steps without an interval at the end are passed over; one before ends the search.
    """
    known = np.flatnonzero(~np.isnan(lower))
    if not len(known):
        return None
    below = np.flatnonzero(~(lower[: known[-1] + 1] > level))
    first = int(below[-1]) + 1 if len(below) else 0
    return float(steps[first]) if first <= known[-1] else None


def _last(curves: Curves) -> Array:
    """Return the last value that each trial reported, (m,)."""
    there = ~np.isnan(curves.values)
    last = there.shape[1] - 1 - np.argmax(there[:, ::-1], axis=1)
    return np.asarray(curves.values[np.arange(len(curves)), last])

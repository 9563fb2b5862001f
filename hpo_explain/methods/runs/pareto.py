"""The Pareto front of several objectives, with what moving along it costs.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_k        the model of objective k
A, B       two trials of the front
φ_jk       Shapley value of player j in the game v(S) = f_k(B's values in S, else A's)
w_k        what one unit of objective k is worth where a trade-off is given
=========  ============================================================================

The φ_jk of an objective add up to f_k(B) - f_k(A): what moving from A to B gains or loses in it is
shared fairly among the hyperparameters that change (ablation over all orders). Their standard
deviation over the functions that the trials allow, as of every contribution, and so are the Pareto
ranks of the trials, what may be saved, the trial that is best by ``Σ w_k f_k``, and what a further
trial adds to the hypervolume. The objectives' functions are independent.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hpo_explain.base import Fact, Subject, check_fraction, fact, spans
from hpo_explain.belief import (
    LEVEL,
    Dominated,
    HypervolumeGain,
    decide,
    in_own_order,
    proposed,
)
from hpo_explain.methods._engines.background import baseline_background
from hpo_explain.methods.proposals.explain_prediction import PredictionExplainer
from hpo_explain.methods.runs.pareto_result import (
    Choice,
    Extension,
    Move,
    ParetoFront,
    Saving,
)
from hpo_explain.question import Question, explains, predictions_at, towards_observed
from hpo_explain.run import REFERENCE, Objectives, pareto_ranks
from hpo_explain.run.grids import untried
from hpo_explain.space import Array, Bools, Ints, among, lowest

_ALONG = 5  # trials of the front between which moves are explained
_MOST_DRAWN = 100  # trials whose ranks are drawn, but for those of the front


@explains(of="surrogate", without=("surrogate",), several="objectives")
def pareto(
    question: Question, *, loss: float = 0.001, trade_off: Mapping[str, float] | None = None
) -> ParetoFront:
    """Say which trials no other one beats in all objectives, and what moving along them costs.

    Of a run with several objectives, or of runs of the same trials in a dict by objective. Of a
    run with a single objective, how long trials took is the other one. The models are by default
    what the trials allow each objective to be; of a forest nothing is certain.

    Parameters
    ----------
    loss : float, default 0.001
        How much of an objective may be lost where another trial than its best saves something in
        another objective: as a share of the best value, 0.1 % by default.
    trade_off : mapping of str to float, optional
        What one unit of each objective is worth, such as ``{"loss": 1, "seconds": 0.01}`` where 100
        seconds are worth as much as a loss of 1: by this the trial to take is chosen.

    Returns
    -------
    ParetoFront
        The front, from the best trial of the first objective on; for the way from one end to the
        other, and along it, what each hyperparameter gains or costs in each objective; what can be
        saved for a small loss; the trial to take at `trade_off`; and what to try to extend the
        front: of the configurations that were not tried, the one with the largest expected gain in
        hypervolume [2]_.

    Raises
    ------
    NothingToExplain
        If there is one objective and no duration, or no trial is feasible.
    InputError
        If the runs are of other trials, `loss` is not between 0 and 1, or `trade_off` has a
        negative number, or a name that is no objective.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640
    .. [2] Emmerich, M., Giannakoglou, K. and Naujoks, B. (2006). Single- and multiobjective
       evolutionary optimization assisted by Gaussian random field metamodels. IEEE Trans. Evol.
       Comput. 10 (4), 421-439.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame({"width": rng.random(30), "lr": rng.random(30)})
    >>> table["loss"] = (1.0 - table.width) ** 2 + (table.lr - 0.5) ** 2
    >>> table["seconds"] = 10.0 * table.width
    >>> found = hx.pareto(
    ...     table, objective="loss", duration="seconds", hyperparameters=["width", "lr"]
    ... )
    >>> found.objectives, found.claims[0].hyperparameters
    (('loss', 'duration in seconds'), ('width',))
    """
    run, loss = question.run, check_fraction("loss", loss)
    objectives = Objectives.of(question.runs or {run.objective_name: run})
    of_each = {name: replace(question, run=run, runs={}) for name, run in objectives.runs.items()}
    front = _Front(objectives, of_each)
    choice = None if trade_off is None else front.choice(trade_off)
    return replace(front.explained(loss), choice=choice)


@dataclass(frozen=True, eq=False)
class _Front:
    """Objectives of the same trials, and what is asked of each."""

    objectives: Objectives
    questions: Mapping[str, Question]

    @cached_property
    def draws(self) -> Dominated:
        """The functions that the objectives may be."""
        return Dominated([question.draws for question in self.questions.values()])

    def explained(self, loss: float) -> ParetoFront:
        """Return the front, moves along it, and what can be saved for a small loss."""
        objectives = self.objectives
        front = objectives.front
        X = objectives.first.X[front]
        predicted = [self.questions[name].model.predict(X)[0] for name in objectives.names]
        moves, notes = self._moves(), list[Fact]()
        pairs = itertools.permutations(range(len(objectives.names)), 2)
        savings = [self._saving(k, other, loss) for k, other in pairs]
        if left_out := objectives.left_out:
            text = f"left out: {spans(left_out)}, which not all objectives have"
            notes.append(fact(text, trials=left_out))
        first = Subject.of(objectives.first)
        return ParetoFront(
            subject=first if not moves else moves[0].reasons[0].subject,
            objectives=objectives.names,
            directions=tuple(run.direction for run in objectives.runs.values()),
            trials=objectives.trials,
            values=objectives.values,
            feasible=objectives.feasible,
            ranks=objectives.ranks,
            front=front,
            contribution=objectives.hypervolume_contribution[front],
            configurations=tuple(objectives.first.space.decode(X)),
            predicted=np.column_stack(predicted),
            moves=moves,
            savings=tuple(saving for saving in savings if moves and saving is not None),
            draws=self._drawn(),
            extension=self._extension(),
            notes=tuple(notes),
        )

    def _drawn(self) -> tuple[Ints, Ints]:
        """Return trials, and their ranks in functions drawn, (draws, k)."""
        objectives = self.objectives
        rows = np.flatnonzero(objectives.feasible)
        if len(rows) > _MOST_DRAWN:
            first = np.argsort(objectives.ranks[rows], kind="stable")[:_MOST_DRAWN]
            rows = np.union1d(rows[first], objectives.front)
        X = objectives.first.X[rows]
        return objectives.trials[rows], pareto_ranks(self.draws.costs_of_each(X))

    def _moves(self) -> tuple[Move, ...]:
        """Return the move between the ends of the front, and those along it."""
        front = self.objectives.front
        if len(front) < 2:
            return ()
        n_stops = min(_ALONG, len(front))
        places = np.linspace(0, len(front) - 1, n_stops).round().astype(int)
        stops = front[places].tolist()
        pairs = [(stops[0], stops[-1])]
        if len(stops) > 2:
            pairs += [*itertools.pairwise(stops)]
        return tuple(self._move(a, b) for a, b in pairs)

    def _move(self, a: int, b: int) -> Move:
        objectives = self.objectives
        before, after = objectives.first.space.decode(objectives.first.X[[a, b]])
        reasons = []
        for name in objectives.names:
            baseline = baseline_background(objectives.first.space, before)
            explainer = PredictionExplainer(
                self.questions[name].model,
                background=baseline,
                subject=Subject.of(objectives.runs[name]),
                seed=self.draws.seed,
            )
            reasons.append(explainer.explain(after))
        numbers = objectives.trials[[a, b]].tolist()
        return Move(numbers[0], numbers[1], before, after, tuple(reasons))

    # ------------------------------------------------------------------ cost against gain

    def _saving(self, k: int, other: int, loss: float) -> Saving | None:
        """Return what a trial saves most in one objective that costs at most so much in `k`.

        Of trials for which both are certain the one that saves most for sure, else by the means;
        None where none does.
        """
        objectives = self.objectives
        rows = np.flatnonzero(objectives.feasible)
        best = int(rows[np.argmin(objectives.costs[rows, k])])
        allowed = loss * abs(float(objectives.values[best, k]))
        level = abs(float(objectives.values[best, other]))
        if level == 0.0:
            return None
        lost = self._gap(k, rows, best)
        saved = -self._gap(other, rows, best) / level
        both = ((lost <= allowed) & (saved > 0.0)).mean(axis=0)
        likely = (lost.mean(axis=0) <= allowed) & (saved.mean(axis=0) > 0.0) & (rows != best)
        is_known = len(lost) > 1 and len(saved) > 1
        if not is_known:
            saved = saved.mean(axis=0, keepdims=True)
        least = np.quantile(saved, 1.0 - LEVEL, axis=0)
        sure = (both >= LEVEL) & is_known
        if not (sure | likely).any():
            return None
        amounts, among = saved.mean(axis=0), likely
        if sure.any():
            amounts, among = least, sure
        at = int(np.argmax(np.where(among, amounts, -np.inf)))
        decision = decide(saved[:, at], side="above")
        if is_known:
            decision = replace(decision, probability=float(both[at]), certain=bool(sure[at]))
        return Saving(
            objective=objectives.names[k],
            other=objectives.names[other],
            best=int(objectives.trials[best]),
            instead=int(objectives.trials[rows[at]]),
            loss=loss,
            saved=decision,
        )

    def _gap(self, k: int, rows: Ints, best: int) -> Array:
        """Return how much more rows cost than one, (draws, n)."""
        numbers = np.append(rows, best)
        costs = self.draws.of_each[k].costs(self.objectives.first.X[numbers]).astype(float)
        return in_own_order(costs[:, :-1] - costs[:, -1:], k)

    # ------------------------------------------------------------------ what to take, and to try

    def choice(self, trade_off: Mapping[str, float]) -> Choice:
        """Return the trial of the front that is expected to be best at a trade-off."""
        objectives = self.objectives
        weights = objectives.weights(trade_off, "trade_off")
        front = objectives.front
        costs = self.draws.costs_of_each(objectives.first.X[front]) @ weights
        place = lowest(costs.mean(axis=0))
        is_best = (costs[:, place] <= costs.min(axis=1)).astype(float)
        decision = decide(is_best, 0.5, side="above")
        return Choice(int(objectives.trials[front[place]]), dict(trade_off), decision)

    def _extension(self) -> Extension | None:
        """Return what is expected to gain most hypervolume; None where nothing gains any."""
        objectives, draws = self.objectives, self.draws
        run = objectives.first
        if not draws.joint or Subject.of(run).too_few:
            return None
        counting = np.flatnonzero(objectives.feasible)
        best_first = counting[np.argsort(objectives.ranks[counting], kind="stable")]
        X = run.X[best_first]
        low, spread = objectives.half_box
        tried, observed = draws.costs_of_each(X), objectives.costs[best_first]
        for k, one in enumerate(draws.of_each):
            tried[..., k] = towards_observed(tried[..., k], observed[:, k], one.noise_std)
        gain = HypervolumeGain(draws, X, tried, 2.0 * low, 2.0 * spread, REFERENCE)
        for x in run.under_way:
            gain = gain.believing(x)
        left = untried(run.X, run.tried, run.notes)
        if left is None:
            rows, _ = proposed(gain, seed=draws.seed, allowed=self._may_be_tried)
        else:
            rows = left[self._may_be_tried(left)]
            rows = rows[np.argsort(-gain(rows), kind="stable")[:1]]
        expected = gain(rows)
        if not expected.any():
            return None
        row = rows[0]
        return Extension(
            configuration=run.space.decode(rows)[0],
            predicted=tuple(
                predictions_at(question.draws, rows[:1], question.run.bounds)[0]
                for question in self.questions.values()
            ),
            gain=float(expected[0]),
            joins=decide(gain.extends(row), 0.5, side="above"),
        )

    def _may_be_tried(self, X: Array) -> Bools:
        return ~among(self.draws.space, X, self.objectives.first.tried) & self.draws.feasible(X)

"""The Pareto front of several objectives, with what moving along it costs.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f_k        the model of objective k
A, B       two trials of the front
φ_jk       Shapley value of player j in the game v(S) = f_k(B's values in S, else A's)
=========  ============================================================================

The φ_jk of an objective add up to f_k(B) - f_k(A): what moving from A to B gains or loses in it is
shared fairly among the hyperparameters that change (ablation over all orders). Their standard
deviation is that of the model's posterior, as of every contribution. Where each objective has a
joint posterior, functions are drawn from it, and the Pareto ranks of the trials are those in them.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_fraction, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import normal_draws
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers._savings import saving_of
from hpo_explain.explainers.prediction import PredictionExplainer
from hpo_explain.explanations.pareto import Move, ParetoFront, Saving
from hpo_explain.methods._engines.background import baseline_background
from hpo_explain.models.protocols import SupportsJoint, Surrogate
from hpo_explain.run import Objectives
from hpo_explain.run.objectives import pareto_ranks

_ALONG = 5  # trials of the front between which moves are explained
_MOST_DRAWN = 100  # trials whose ranks are drawn, but for those of the front
_DRAWS = 128


class ParetoExplainer:
    """Says which trials no other one beats in all objectives, and what moving along them costs.

    Parameters
    ----------
    objectives : Objectives
        The objectives of the same trials.
    surrogates : mapping of str to Surrogate
        The model of each.
    subjects : mapping of str to Subject, optional
        What is explained; by default made from the runs.
    seed : int, default 0
        Seed of coalitions where they are sampled.

    Raises
    ------
    InputError
        If an objective has no surrogate.

    References
    ----------
    .. [1] Theodorakopoulos, D., Stahl, F. and Lindauer, M. (2024). Hyperparameter importance
       analysis for multi-objective AutoML. ECAI. https://arxiv.org/abs/2405.07640

    Examples
    --------
    >>> import hpo_explain as hx
    >>> from hpo_explain.run import Objectives
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(20)
    >>> loss = hx.Run(space, X, X[:, 0], "minimize", objective_name="loss")
    >>> size = hx.Run(space, X, X[:, 0] ** 2, "minimize", objective_name="size")
    >>> both = Objectives.of({"loss": loss, "size": size})
    >>> models = {name: run.surrogate() for name, run in both.runs.items()}
    >>> hx.ParetoExplainer(both, models).explain().claims[0].kind
    'best_in_all'
    """

    def __init__(
        self,
        objectives: Objectives,
        surrogates: Mapping[str, Surrogate],
        *,
        subjects: Mapping[str, Subject] | None = None,
        seed: int = 0,
    ) -> None:
        missing = [name for name in objectives.names if name not in surrogates]
        if missing:
            problem = f"lacks a model of {', '.join(missing)}"
            raise InputError("surrogates", problem, [*surrogates], "Give one for each objective.")
        self._objectives = objectives
        self._surrogates = surrogates
        of_runs = {name: Subject.of(run) for name, run in objectives.runs.items()}
        self._subjects = of_runs if subjects is None else dict(subjects)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(self, *, loss: float = 0.001) -> ParetoFront:
        """Return the front, moves along it, and what can be saved for a small loss.

        Parameters
        ----------
        loss : float, default 0.001
            How much of an objective may be lost, as a share of its best value.

        Returns
        -------
        ParetoFront
            The front.

        Raises
        ------
        InputError
            If `loss` is not between 0 and 1.
        NothingToExplain
            If no trial is feasible.
        """
        check_fraction("loss", loss)
        given = self._objectives
        front = given.front
        X = given.first.X[front]
        predicted = [self._surrogates[name].predict(X) for name in given.names]
        moves = self._moves()
        first = self._subjects[given.names[0]]
        return ParetoFront(
            subject=first if not moves else moves[0].reasons[0].subject,
            objectives=given.names,
            directions=tuple(run.direction for run in given.runs.values()),
            trials=given.trials,
            values=given.values,
            feasible=given.feasible,
            ranks=given.ranks,
            front=front,
            contribution=given.hypervolume_contribution[front],
            configurations=tuple(given.first.space.decode(X)),
            predicted=np.column_stack([mean for mean, _ in predicted]),
            predicted_std=np.column_stack([std for _, std in predicted]),
            moves=moves,
            savings=tuple(self._savings(moves, loss)),
            drawn=self._drawn(),
            notes=self._notes(),
        )

    def _notes(self) -> tuple[Fact, ...]:
        left_out = self._objectives.left_out
        return (fact("not_in_all_objectives", trials=left_out),) if left_out else ()

    def _drawn(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
        """Return trials, and their ranks in functions drawn, (draws, k)."""
        given = self._objectives
        rows = np.flatnonzero(given.feasible)
        if len(rows) > _MOST_DRAWN:
            first = np.argsort(given.ranks[rows], kind="stable")[:_MOST_DRAWN]
            rows = np.union1d(rows[first], given.front)
        X = given.first.X[rows]
        draws = self._subjects[given.names[0]].draws
        costs = []
        for k, (name, run) in enumerate(given.runs.items()):
            model = self._surrogates[name]
            if not isinstance(model, SupportsJoint):
                return None
            mean, K = model.predict(X)[0], model.posterior_covariance(X)
            # another seed for each: the models know nothing of each other
            drawn = normal_draws(mean, K, draws or _DRAWS, self._seed + k)
            costs.append(drawn if run.direction == "minimize" else -drawn)
        return given.trials[rows], pareto_ranks(np.stack(costs, axis=2).swapaxes(0, 1))

    def _moves(self) -> tuple[Move, ...]:
        """Return the move between the ends of the front, and those along it."""
        front = self._objectives.front
        if len(front) < 2:
            return ()
        places = np.linspace(0, len(front) - 1, min(_ALONG, len(front))).round().astype(int)
        stops = front[places].tolist()
        pairs = [(stops[0], stops[-1])]
        if len(stops) > 2:
            pairs += [*itertools.pairwise(stops)]
        return tuple(self._move(a, b) for a, b in pairs)

    def _move(self, a: int, b: int) -> Move:
        given = self._objectives
        before, after = given.first.space.decode(given.first.X[[a, b]])
        reasons = []
        for name in given.names:
            baseline = baseline_background(given.first.space, before)
            explainer = PredictionExplainer(
                self._surrogates[name],
                background=baseline,
                subject=self._subjects[name],
                seed=self._seed,
            )
            reasons.append(explainer.explain(after))
        numbers = given.trials[[a, b]].tolist()
        return Move(numbers[0], numbers[1], before, after, tuple(reasons))

    # ------------------------------------------------------------------ cost against gain

    def _savings(self, moves: tuple[Move, ...], loss: float) -> list[Saving]:
        if not moves:
            return []
        trust = {
            name: reason.subject
            for name, reason in zip(self._objectives.names, moves[0].reasons, strict=True)
        }
        found = []
        for k, name in enumerate(self._objectives.names):
            for other in range(len(self._objectives.names)):
                if other != k:
                    doubts = dict.fromkeys(
                        doubt
                        for n in (name, self._objectives.names[other])
                        for doubt in trust[n].doubts("everywhere")
                    )
                    saving = saving_of(
                        self._objectives, self._surrogates, k, other, loss, tuple(doubts)
                    )
                    found += [] if saving is None else [saving]
        return found

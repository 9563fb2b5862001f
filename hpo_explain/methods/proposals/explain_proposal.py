"""Why the optimizer proposed a configuration: with what was known when it did.

Which trial is explained, by which acquisition function and compared with what; the numbers are
those of `shapley`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Criterion,
    Estimator,
    Fact,
    InputError,
    NothingToExplain,
    Subject,
    check_seed,
    counted,
    fact,
    shows_progress,
    spans,
    trial_number,
)
from hpo_explain.belief import as_draws
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.explainable import LEAST_KNOWN, why_unexplained
from hpo_explain.methods.proposals.proposed import AnyTrial, Proposed, proposed
from hpo_explain.methods.proposals.shapley import ShapleyExplainer
from hpo_explain.models import Acquisition, as_surrogate
from hpo_explain.question import (
    Question,
    accepted_criterion,
    accepted_surrogate,
    explains,
    learned_later,
)
from hpo_explain.run import Run, doubts_of_model
from hpo_explain.space import Config, Ints


@explains(of="optimizer")
def explain_proposal(
    question: Question,
    trial: AnyTrial = "latest",
    *,
    acquisition: Criterion | Acquisition = "auto",
    background: str | int | Config | npt.ArrayLike = "auto",
    surrogate: Any = None,
    estimator: Estimator = "auto",
    orders: int = 1000,
    precision: float = 0.01,
) -> ProposalExplanation:
    """Explain why the optimizer tried a configuration, or whether it would try one next.

    Parameters
    ----------
    trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
        The proposal: a trial number or a word. "latest" is the latest finished proposal, "best"
        the best feasible one, and "best-predicted" the trial to keep, or else the proposal that
        is expected to be best. "pending" is the latest running one. A trial that is running,
        failed or was pruned can be given by its number. A waiting trial and a configuration
        (dict) are explained as the next proposal: why would the optimizer choose it, or not? With
        an `acquisition` other than "auto", any trial can be explained.
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        "auto" is the optimizer's own acquisition function if it is known, else the lower
        confidence bound with κ = 1.96; the notes say which. The others use a surrogate of the
        trials that were finished when the proposal was made; "mean" and "se" are its mean and its
        standard deviation.
    background : str, int, dict or ndarray of shape (n, d), default "auto"
        What the proposal is compared with, as in `ShapleyExplainer`: "global" (the same as
        "auto"), "local", "hybrid", "candidates" (TPE's own candidates), "thesis", a number of
        rows, one configuration such as a default, or encoded rows. "incumbent" is the best
        configuration at that time.
    surrogate : Surrogate or object, optional
        Another model to evaluate the same criterion with, such as ``run.surrogate()`` or one of
        your own, as in `Run.explained_by`.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        As in `ShapleyExplainer`.
    orders : int, default 1000
        Number of orders that the sampling estimator draws, each with a background row.
    precision : float, default 0.01
        As in `ShapleyExplainer`.

    Returns
    -------
    ProposalExplanation
        Contributions of the hyperparameters; larger is more desirable.

    Raises
    ------
    NothingToExplain
        If no model chose the trial, or if at that time the objective was constant or fewer than
        two trials were finished.
    ValueError
        If the trial does not exist, or an option is not allowed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2; reference sets and other models: Section 8.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> round(abs(explanation.efficiency_gap["total"]), 9)
    0.0

    A trial that was asked for but not evaluated yet:

    >>> import optuna
    >>> study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0.0, 1.0), n_trials=12)
    >>> trial = study.ask({"x": optuna.distributions.FloatDistribution(0.0, 1.0)})
    >>> hx.explain_proposal(study, trial).trial, hx.explain_proposal(study, {"x": 0.9}).trial
    (12, None)
    """
    explainer = ProposalExplainer(
        acquisition, background, surrogate, estimator, orders, precision, question.seed
    )
    return explainer.explain(question.run, trial, believed=True)


@dataclass(frozen=True, eq=False)
class ProposalExplainer:
    """Explains proposals of a run, using only what was known when each was made.

    Parameters
    ----------
    acquisition : {"auto", "lcb", "ei", "pi", "logei", "mean", "se"} or Acquisition, default "auto"
        As in `explain_proposal`.
    background : optional
        As in `explain_proposal`.
    surrogate : Surrogate or object, optional
        A model to evaluate the criterion with, in place of the one that made the proposal.
    estimator, orders, precision, seed : optional
        As in `ShapleyExplainer`.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> ProposalExplainer(background=50).explain(run, 2).trial
    2
    """

    acquisition: Criterion | Acquisition = "auto"
    background: str | int | Config | npt.ArrayLike = "auto"
    surrogate: Any = None
    estimator: Estimator = "auto"
    orders: int = 1000
    precision: float = 0.01
    seed: int = 0

    def __post_init__(self) -> None:
        accepted_criterion(self.acquisition)
        check_seed(self.seed)

    @shows_progress
    def explain(
        self, run: Run, trial: AnyTrial = "latest", *, believed: bool = False
    ) -> ProposalExplanation:
        """Explain one proposal, or a configuration as the next proposal.

        Parameters
        ----------
        run : Run
            The optimization run.
        trial : int, "latest", "best", "best-predicted", "pending", dict or trial of Optuna
            As in the function `explain_proposal`.
        believed : bool, default False
            Whether to state the effect of the values on the objective, too, as known at that time.
            This takes a second or two.

        Raises
        ------
        NothingToExplain
            If no model chose the trial, or there was nothing to learn from before it.
        ValueError
            If the trial does not exist, there was no feasible trial for "incumbent", or an option
            is not allowed.
        """
        what = proposed(run, trial, seed=self.seed, any_trial=self.acquisition != "auto")
        why_not = why_unexplained(run, what.before, self.acquisition)
        if why_not is not None:
            raise NothingToExplain(why_not)
        chosen = run.chosen_acquisition(what.before, self.acquisition, seed=self.seed)
        earlier, belief, doubts = run.known_before(what.before), None, list[Fact]()
        if self.surrogate is not None:
            model = accepted_surrogate(as_surrogate(self.surrogate, run.space))
            chosen = chosen.through(model, run.direction)
            doubts += doubts_of_model(model, run.X, run.objective)
            if believed:
                belief = as_draws(model, run.direction, seed=self.seed)
        elif believed and len(earlier) >= LEAST_KNOWN:
            belief = run.belief(what.before, seed=self.seed)
        if what.number is not None:
            if self.surrogate is not None or not isinstance(self.acquisition, str):
                of = getattr(chosen.acquisition, "surrogate", None)
                doubts += learned_later(run, what.number, of)
            if trial == "best":
                doubts += _best_elsewhere(run, what.number)
        background, about = self._background(run, what)
        notes = [*about, *chosen.notes, *_running(run, what), *what.notes, *doubts]
        notes += _repeats(run, what, earlier)
        subject = Subject.of(
            run, trial=what.number, state=what.state, assumed=chosen.assumed, notes=notes
        )
        return ShapleyExplainer(
            chosen.acquisition,
            background=background,
            estimator=self.estimator,
            orders=self.orders,
            precision=self.precision,
            subject=replace(subject, tried=run.X[earlier], costs=run.cost[earlier]),
            belief=belief,
            seed=self.seed,
        ).explain(run.space.decode(what.x[None, :])[0], not_chosen=what.not_chosen)

    def _background(self, run: Run, what: Proposed) -> tuple[Any, list[Fact]]:
        """Return the background for one trial, and notes about it."""
        if not (isinstance(self.background, str) and self.background == "incumbent"):
            return self.background, []
        earlier = run.known_before(what.before)
        earlier = earlier[np.asarray(run.feasible)[earlier]]
        if not len(earlier):
            at = what.before
            by_then = "by now" if at is None else f"before trial {at}"
            raise InputError(
                "background",
                f"is 'incumbent', but no feasible trial was finished {by_then}",
                self.background,
                "Choose a later trial, or another background.",
            )
        incumbent = run.best(np.asarray(run.trials)[earlier].tolist())
        compared = "it is compared with trial ", trial_number(incumbent), ", the best one by then"
        return run.config(incumbent), [fact(*compared, trials=[incumbent])]


def _running(run: Run, what: Proposed) -> list[Fact]:
    """Return a note on the trials that were running when another one was proposed."""
    running = [t for t in run.running_at(what.before) if t != what.number]
    if not running:
        return []
    when = "now" if what.before is None else f"when trial {what.before} was proposed"
    count = counted(len(running), "trial")
    return [fact(f"{count} running {when}: {spans(running)}; no result known", trials=running)]


def _best_elsewhere(run: Run, number: int) -> list[Fact]:
    """Return a note where the best of the proposals is not the best of the run."""
    if not np.any(run.feasible) or number == run.incumbent_trial:
        return []
    best = run.incumbent_trial
    return [
        fact(
            f"trial {number} is the best of the proposals; the run's best trial, {best}, was not "
            "proposed by a model",
            kind="best_not_proposed",
            trials=[number, best],
        )
    ]


def _repeats(run: Run, what: Proposed, earlier: Ints) -> list[Fact]:
    """Return a note where the configuration had been evaluated before."""
    inactive = np.isnan(what.x)
    same = (run.X[earlier] == what.x) | (np.isnan(run.X[earlier]) & inactive)
    trials = np.asarray(run.trials)[earlier][same.all(axis=1)]
    earlier_ones = f"{'trials' if len(trials) > 1 else 'trial'} {spans(trials)}"
    note = fact(f"it repeats {earlier_ones}, which had finished", trials=trials)
    return [note] if len(trials) else []

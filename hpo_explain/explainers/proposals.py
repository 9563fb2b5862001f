"""What was proposed when, through whose eyes, and compared with what.

The choices that an explanation of one proposal and a path over all of them share.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_option
from hpo_explain._words import counted, spans
from hpo_explain.acquisition import (
    Acquisition,
    ExpectedImprovement,
    LogExpectedImprovement,
    LowerConfidenceBound,
    ProbabilityOfImprovement,
    SurrogateBased,
)
from hpo_explain.explainers._accepted import accepted_acquisition, accepted_surrogate
from hpo_explain.explainers.shapley import ShapleyExplainer
from hpo_explain.explanations import ProposalExplanation
from hpo_explain.facts import Fact, as_facts, fact
from hpo_explain.run import KnowsWhyNot, Run, winsorized
from hpo_explain.space import Config
from hpo_explain.surrogates import Surrogate

CRITERIA = ("auto", "lcb", "ei", "pi", "logei")
TRIALS = ("latest", "best", "best-predicted")


@dataclass(frozen=True, eq=False)
class ProposalExplainer:
    """Explains proposals of a run, each with what was known when it was made.

    Parameters
    ----------
    acquisition : {"auto", "lcb", "ei", "pi", "logei"} or Acquisition, default "auto"
        "auto" is the optimizer's own where it is known, else the confidence bound with κ = 1.96.
    background : optional
        As in :class:`ShapleyExplainer`, or "incumbent": the best configuration known by then.
    surrogate : Surrogate, optional
        Look through this model in place of the one that made the proposal.
    estimator, draws, seed : optional
        As in :class:`ShapleyExplainer`.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.4]], [1.0, 9.0, 4.0], "minimize")
    >>> ProposalExplainer(background=50).explain(run, 2).trial
    2
    """

    acquisition: str | Acquisition = "auto"
    background: str | int | Config | npt.ArrayLike = "auto"
    surrogate: Surrogate | None = None
    estimator: str = "auto"
    draws: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.surrogate is not None:
            accepted_surrogate(self.surrogate)

    def explain(self, run: Run, number: int) -> ProposalExplanation:
        """Return the explanation of one proposal.

        Raises
        ------
        ValueError
            If nothing was learned before it, no feasible trial was known for "incumbent", or an
            option is not allowed.
        """
        reason = nothing_learned(run, number)
        if reason:
            raise ValueError(reason)
        chosen, assumed, notes = acquisition_of(run, number, self.acquisition, self.seed)
        if self.surrogate is not None:
            chosen, note = _through(run, chosen, self.surrogate)
            assumed, notes = True, as_facts([note])
        background, about = self._background(run, number)
        explanation = ShapleyExplainer(
            chosen,
            background=background,
            estimator=self.estimator,
            draws=self.draws,
            seed=self.seed,
        ).explain(run.config(number))
        return replace(
            explanation,
            trial=number,
            assumed=assumed,
            optimizer=run.optimizer,
            objective_name=run.objective_name,
            direction=run.direction,
            notes=as_facts([*explanation.notes, *about, *notes, *_unknown_results(run, number)]),
        )

    def _background(self, run: Run, number: int) -> tuple[Any, tuple[str, ...]]:
        """Return the background for the explainer of one trial, and what to say about it."""
        if not isinstance(self.background, str) or self.background != "incumbent":
            return self.background, ()
        known = run.known_before(number)
        known = known[np.asarray(run.feasible)[known]]
        if not len(known):
            raise ValueError(
                f"background='incumbent': no feasible trial was finished before trial {number}. "
                "Choose a later trial, or another background."
            )
        incumbent = run.best(np.asarray(run.trials)[known].tolist())
        return run.config(incumbent), (f"background: trial {incumbent}, the incumbent by then",)


def nothing_learned(run: Run, number: int) -> str:
    """Say why no model could have preferred anything at a trial; empty if one could."""
    known = run.known_before(number)
    if len(known) < 2 or np.ptp(winsorized(run.cost[known])) > 0.0:
        return ""
    return (
        f"the {run.objective_name} is constant ({run.objective[known[0]]:g} in all "
        f"{len(known)} trials finished before trial {number}): no hyperparameter made a "
        "difference, so there is nothing to explain. Choose a later trial, or check the "
        "objective."
    )


def proposal_of(run: Run, trial: int | str, *, seed: int = 0, any_trial: bool = False) -> int:
    """Return the number of a proposal, or say why it cannot be explained.

    With `any_trial` a trial that no model chose may be named: what an assumed acquisition function
    would have thought of it.
    """
    if any_trial and not isinstance(trial, str):
        run.row(trial)
        return int(trial)
    proposals = np.array(run.proposals, dtype=np.int64)
    if not len(proposals):
        raise ValueError(
            f"run has no proposal: {run.optimizer} chose none of its "
            f"{counted(len(run), 'finished trial')} by a model. Run more trials than the "
            "initial design has, or name a trial and acquisition='lcb': what a model would have "
            "thought of it."
        )
    if isinstance(trial, str):
        check_option("trial", trial, TRIALS)
        if trial == "latest":
            return int(proposals.max())
        if trial == "best":
            return run.best(proposals.tolist())
        rows = [run.row(int(number)) for number in proposals]
        predicted = run.surrogate(seed=seed).predict(run.X[rows])[0]
        better = np.argmin if run.direction == "minimize" else np.argmax
        return int(proposals[better(predicted)])
    run.row(trial)
    if trial not in proposals:
        raise ValueError(
            f"trial {trial} was not chosen by a model (initial design, or set by hand), so there "
            f"is no reason to explain; acquisition='lcb' says what a model would have thought of "
            f"it. Proposals: {spans(proposals)}."
        )
    return int(trial)


def acquisition_of(
    run: Run, number: int | None, acquisition: str | Acquisition, seed: int
) -> tuple[Acquisition, bool, tuple[Fact, ...]]:
    """Return the acquisition, whether it is assumed, and what to say about it."""
    if not isinstance(acquisition, str):
        return accepted_acquisition(acquisition), True, ()
    check_option("acquisition", acquisition, CRITERIA)
    if acquisition == "auto":
        own = run.own_acquisition(number)
        if own is not None:
            return own.acquisition, False, own.notes
    surrogate = run.surrogate(before=number, seed=seed)
    known = run.known_before(number)
    best = float(run.objective[known][np.argmin(run.cost[known])])
    built = _criterion(acquisition, surrogate, best, run.direction)
    why = None
    if acquisition == "auto" and isinstance(run.record, KnowsWhyNot):
        why = run.record.why_not(number)
    assumed = fact(
        "acquisition_assumed",
        names=[run.optimizer, built.label, getattr(surrogate, "label", "a model of yours")],
        why=why,
    )
    return built, True, (assumed,)


def _criterion(name: str, surrogate: Surrogate, best: float, direction: str) -> Acquisition:
    if name in ("auto", "lcb"):
        return LowerConfidenceBound(surrogate, direction=direction)
    if name == "ei":
        return ExpectedImprovement(surrogate, best=best, direction=direction)
    if name == "pi":
        return ProbabilityOfImprovement(surrogate, best=best, direction=direction)
    return LogExpectedImprovement(surrogate, best=best, direction=direction)


def _through(run: Run, acquisition: Acquisition, surrogate: Surrogate) -> tuple[Acquisition, str]:
    """Return the same criterion through another model, and what to say about it."""
    if tuple(surrogate.space.names) != tuple(run.space.names):
        raise ValueError(
            f"surrogate is a model of {list(surrogate.space.names)}, but the run has "
            f"{list(run.space.names)}. Fit it on the run's space."
        )
    built: Acquisition
    if (
        is_dataclass(acquisition)
        and isinstance(acquisition, SurrogateBased)
        and any(entry.name == "surrogate" for entry in fields(acquisition))
    ):
        built = replace(acquisition, surrogate=surrogate)
    else:
        built = LowerConfidenceBound(surrogate, direction=run.direction)
    return built, f"another model's view: {built.label} through the surrogate that was given"


def _unknown_results(run: Run, number: int) -> list[str]:
    """Say which trials were running when another one was proposed."""
    running = run.running_at(number)
    if not running:
        return []
    if len(running) == 1:
        were, their = "1 trial was", "its result was"
    else:
        were, their = f"{len(running)} trials were", "their results were"
    return [f"{were} running when trial {number} was proposed: {spans(running)}; {their} not known"]

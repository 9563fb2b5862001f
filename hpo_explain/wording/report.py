"""What only a report says, in words."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.explanations import DesirabilityPath, ProposalExplanation, TurningPoint
from hpo_explain.explanations.path import KAPPAS
from hpo_explain.facts import Fact
from hpo_explain.run import Run
from hpo_explain.wording._registry import add_facts

_MEANINGS = {
    "mean": "the model predicts a better {objective} with this value",
    "uncertainty": "the model is uncertain about such configurations, so there is something to "
    "learn",
    "exploitation": "the model predicts a better {objective} with this value",
    "exploration": "the model is uncertain about such configurations, so there is something to "
    "learn",
    "good": "such a value is common among good trials (log l, larger than on average)",
    "bad": "such a value is rare among the other trials (−log g, larger than on average)",
}


def meanings(result: ProposalExplanation) -> list[tuple[str, str]]:
    """Return the terms of a proposal's acquisition function with what they mean."""
    objective = result.subject.objective_name
    return [
        (term, _MEANINGS[term].format(objective=objective))
        for term in result.terms
        if term in _MEANINGS
    ]


def best_lead(run: Run, best: int | None) -> str:
    """Say which trial is the best of the run, and which the best of the proposals."""
    if run.feasible is not None and not run.feasible.any():
        return f"No trial is feasible; trial {best} is the best of the proposals."
    if best == run.incumbent_trial:
        return f"Trial {best} is the best of the run."
    if run.incumbent_trial in (run.proposals or ()):
        return (
            f"The best of the run is trial {run.incumbent_trial}, before which too little was "
            f"known for a model. Trial {best} is the best of the proposals that can be explained."
        )
    return (
        f"The best of the run is trial {run.incumbent_trial}. No model selected it: it belongs to "
        f"the initial design, or was set by hand. Trial {best} is the best of the proposals."
    )


def caption(result: ProposalExplanation) -> str:
    """Return the caption of a proposal's plot."""
    about = result.subject
    whose = "an assumed acquisition function" if about.assumed else "its acquisition function"
    return (
        f"How much each proposed value added to {whose}, {about.acquisition}, compared with the "
        "average over the search space."
    )


def balance(path: DesirabilityPath, last: int) -> str:
    """Say how much of the latest contributions is about uncertainty; empty where unknown."""
    shares = path.balance(last)
    if not shares:
        return ""
    depends = ""
    if path.kappa:
        low, high = (path.balance(last, kappa)["exploring"] for kappa in (KAPPAS[0], KAPPAS[-1]))
        depends = (
            f" κ = {path.kappa:g} is assumed: exploring is {low:.0%} for κ = 1, {high:.0%} for 3."
        )
    return (
        f"At present: {shares['exploiting']:.0%} of the contributions to the last "
        f"{counted(min(last, len(path)), 'proposal')} are about the predicted objective "
        f"(exploiting), {shares['exploring']:.0%} about uncertainty (exploring). Compared with the "
        "whole space, exploring is underestimated: next to an average configuration every proposal "
        f"looks well known.{depends}"
    )


def turn(found: TurningPoint) -> str:
    """Say from when on the predicted objective led, and how far that depends on κ."""
    text = f"from trial {found.trial} on"
    if found.span is not None and found.span[0] < found.span[1]:
        first, last = found.span
        text += f" (for κ from 1 to 3 from a trial between {first} and {last} on)"
    elif not found.certain:
        text += ", but not for all κ from 1 to 3"
    return text


def _path_thinned(fact: Fact) -> str:
    return (
        f"{fact['shown']} of {fact['explainable']} proposals are shown, the last {fact['last']} "
        f"and {fact['shown'] - fact['last']} spread evenly over those before; "
        "hpo_explain.desirability_path explains all of them"
    )


add_facts(
    {
        "constant_objective": lambda fact: (
            f"the {fact.names[0]} is constant ({fact['value']:g} in all {fact['finished']} "
            "trials): no hyperparameter made a difference"
        ),
        "constant_prediction": lambda fact: (
            f"the predicted {fact.names[0]} is constant: no hyperparameter matters"
        ),
        "single_hyperparameter": "there is a single hyperparameter, so nothing can interact",
        "latest_is_best": lambda fact: (
            f"the latest proposal, trial {fact.trials[0]}, is the best of the proposals as well; "
            "it is explained above"
        ),
        "path_too_short": lambda fact: (
            f"only trial {fact.trials[0]} can be explained so far; a path needs two proposals"
        ),
        "path_thinned": _path_thinned,
    }
)

"""The Pareto front in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words, spans
from hpo_explain.explanations.pareto import ParetoFront, Saving
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_value, percent, plus_minus

_MOST_TOLD = 2


def _not_in_all(fact: Fact) -> str:
    return f"left out: {spans(fact.trials)}, which not all objectives have"


add_facts(
    {
        "not_in_all_objectives": _not_in_all,
        "saving_not_told": lambda fact: (
            f"more of the {fact.names[0]} may be lost, or nothing may be saved"
        ),
    }
)


@sentence_of(ParetoFront)
def sentence(result: ParetoFront) -> str:
    """Say how large the front is, what pays for the way along it, and what can be saved."""
    n, named = len(result.trials), join_words(result.objectives)
    if not result.moves:
        best = int(result.trials[result.front[0]])
        return f"Trial {best} is the best of {n} trials in all objectives ({named})."
    text = f"{len(result.front)} of {n} trials are on the Pareto front of {named}"
    text += f": from trial {_end(result, 0)} to trial {_end(result, -1)}."
    trades = [claim for claim in result.claims if claim.kind == "trade"]
    told = list(dict.fromkeys(c.hyperparameters[0] for c in trades if c.certain))[:_MOST_TOLD]
    parts = [_trade([c for c in trades if c.hyperparameters[0] == name]) for name in told]
    if parts:
        text += f" On the way, {'; '.join(parts)}."
    else:
        text += f" It is not certain which hyperparameters pay for the way.{reservation(trades)}"
    for saving in result.savings:
        if not saving.doubts:
            text += f" {saving_in_words(saving)}"
    return text


def _end(result: ParetoFront, end: int) -> str:
    row = result.front[end]
    values = [
        f"{name} {format_value(float(value))}"
        for name, value in zip(result.objectives, result.values[row], strict=True)
    ]
    return f"{result.trials[row]} ({', '.join(values)})"


def _trade(claims: list[Claim]) -> str:
    """Return what one hyperparameter does to each objective."""
    ((was, now),) = claims[0].values
    if was is None or now is None:
        change = "becoming " + ("inactive" if now is None else f"active ({format_value(now)})")
    else:
        change = f"= {format_value(now)} (was {format_value(was)})"
    effects = [_effect(claim) for claim in claims if claim.certain]
    return f"{claims[0].hyperparameters[0]} {change} {join_words(effects)}"


def _effect(claim: Claim) -> str:
    verb = "improves" if claim.estimate > 0.0 else "worsens"
    return f"{verb} {claim.term} by {plus_minus(abs(claim.estimate), claim.half)}"


def saving_in_words(saving: Saving) -> str:
    """Return a saving as a sentence."""
    saved, low = saving.saved
    return (
        f"Trial {saving.instead} in place of trial {saving.best}, the best in {saving.objective}, "
        f"saves {percent(saved)} of the {saving.other} (at least {percent(max(low, 0.0))}) and "
        f"loses at most {format_value(100.0 * saving.loss)}% of the {saving.objective}."
    )


FRONT, OTHERS, INFEASIBLE = "Pareto front", "dominated", "infeasible"


def heading(result: ParetoFront) -> str:
    """Return the heading of the plot of the front."""
    return f"The Pareto front of {join_words(result.objectives)}"


def subtitle(result: ParetoFront) -> str:
    """Say how many trials are on it."""
    return f"{len(result.front)} of {counted(len(result.trials), 'trial')}"


def axis(name: str, direction: str) -> str:
    """Return the label of an axis."""
    return f"{name} ({'less' if direction == 'minimize' else 'more'} is better)"


FOOTER = (
    "Numbers: trials at the ends of the front, and between them. What was observed may be luck: "
    "the table has what the models predict."
)


def moves_heading(source: int, target: int) -> str:
    """Return the heading of the plot of a move."""
    return f"What pays for the way from trial {source} to trial {target}"


MOVES_SUBTITLE = (
    "Shapley values of the change of each hyperparameter, for the prediction of each objective"
)
MOVES_LABEL = "gain, in ranges of the front: right is better"
MOVES_FOOTER = "Whiskers: 95 % intervals of the models."
ALONE = "One trial is best in all objectives: there is no way to pay for."

"""How TPE's densities moved, in words."""

from __future__ import annotations

from hpo_explain.base.phrases import spans
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.density_path import DensityPath
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value

add_facts({"other_criterion": lambda fact: f"not chosen by densities: {spans(fact.trials)}"})


@sentence_of(DensityPath)
def sentence(result: DensityPath) -> str:
    """Say which value the latest densities prefer."""
    (claim,) = result.claims
    chance = "" if claim.certain else "; it may be chance"
    return (
        f"Good trials came to prefer {result.name} = {format_value(claim.values[0])}: "
        f"{claim.estimate:.2g} times as common as among the others by trial {result.trials[-1]}"
        f"{chance}."
    )


SCALE = "log l − log g"
FOOTER = "Dots: proposed values."


def heading(name: str) -> str:
    """Return the plot's heading, for a hyperparameter as it is shown."""
    return f"How the densities of {name} moved"


def subtitle(subject: Subject) -> str:
    """Say what the colors are."""
    return (
        f"bright: more common among good trials than among others, as {subject.optimizer} saw them"
    )

"""TPE's densities in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import join_words
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.densities import ProposalDensities
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value
from hpo_explain.wording.subject import INACTIVE, NEXT, NOT_CHOSEN, configuration


def _no_densities(fact: Fact) -> str:
    optimizer, why = fact.names[0], fact["why"]
    if fact["acquisition"] is not None:
        why = f"{optimizer} chose it by another acquisition function, {fact['acquisition']}"
    elif why is None:
        why = f"{optimizer}'s acquisition function is not known"
    which = f"trial {fact.trials[0]}" if fact.trials else "the next trial"
    return (
        f"{which} has no densities of good and other trials: {why}. Densities are "
        "those of Optuna's TPESampler; explain_proposal works with any optimizer."
    )


add_facts({"no_densities": _no_densities})


@sentence_of(ProposalDensities)
def sentence(result: ProposalDensities) -> str:
    """Say which proposed values are common among good trials."""
    about = configuration(result.subject)
    start = f"{about[0].upper()}{about[1:]}: "
    claims = [claim for claim in result.claims if claim.kind == "common"]
    if not claims:
        return f"{start}no value is clearly more common among good trials than among others."
    told, unsure = ([c for c in claims if c.certain is certain] for certain in (True, False))
    if not told:
        return f"{start}{_times(unsure)} among good trials as among the others; it may be chance."
    text = f"{start}{_times(told)} among good trials as among the others"
    return f"{text}; {_times(unsure)}, but that may be chance." if unsure else f"{text}."


def _times(claims: list[Claim]) -> str:
    return join_words(
        [
            f"{claim.hyperparameters[0]} = {format_value(claim.values[0])} is {claim.estimate:.2g} "
            "times as common"
            for claim in claims
        ]
    )


LABEL = "times as common as by chance"
GOOD, BAD, PROPOSED = "good trials (l)", "other trials (g)", "proposed value"


def absent(result: ProposalDensities, name: str) -> str:
    """Return why a hyperparameter has no value: "inactive" or "not chosen"."""
    return NOT_CHOSEN if name in result.not_chosen else INACTIVE


def choices(count: int) -> str:
    """Return the label of an axis along which so many categories are not named."""
    return f"{count} choices"


def heading(subject: Subject) -> str:
    """Return the plot's heading."""
    if subject.state in NEXT:
        return f"Where good trials are, and {configuration(subject)}"
    return f"Where good trials were when {configuration(subject)} was proposed"


def subtitle(subject: Subject) -> str:
    """Say what a density is."""
    return (
        "how common a value is, in multiples of chance; good trials against all others, as "
        f"{subject.optimizer} saw them"
    )


def footer(result: ProposalDensities) -> str:
    """Say which hyperparameters were sampled together."""
    if not result.joint:
        return "Every hyperparameter was sampled by itself; the grey line is chance."
    together = sum(len(group) for group in result.joint)
    return (
        f"{together} hyperparameters were sampled together; each panel shows one of them whatever "
        "the others are. The grey line is chance."
    )

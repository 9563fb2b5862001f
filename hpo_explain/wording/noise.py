"""The noise in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.fanova import SEPARATOR
from hpo_explain.explanations.noise import Noise
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.fanova import between
from hpo_explain.wording.numbers import format_value, number


def _trust_noise(fact: Fact) -> str:
    return (
        "The noise differs from one configuration to another "
        f"({counted(fact['n'], 'configuration')} evaluated several times, p = {fact['p']:.2g})."
    )


def _of_one(fact: Fact) -> str:
    if fact["instances"] == 1:
        return "the noise is that of one evaluation: the mean of k repeats has 1/√k of it"
    return (
        f"the noise is that of one of {fact['instances']} instances, without what the instance "
        "adds for all configurations; what it adds for some of them only counts as noise"
    )


add_facts(
    {
        "noise_not_told_apart": lambda fact: (
            f"{counted(fact['n'], 'configuration')} evaluated several times do not tell whether it "
            "depends on a hyperparameter"
        ),
        "trust_noise": _trust_noise,
        "noise_may_be_chance": lambda fact: (
            f"noise may seem to depend on {join_words(fact.names)} by chance (p = {fact['p']:.2g})"
        ),
        "noise_of_several": lambda fact: (
            f"whether noise depends on {join_words(fact.names)} together is not tested"
        ),
        "noise_of_one": _of_one,
    }
)


@sentence_of(Noise)
def sentence(result: Noise) -> str:
    """Say how large the noise is, whether it is the same everywhere, and what it depends on."""
    claims = result.claims
    noise = [claim for claim in claims if claim.kind == "noise"]
    if not result.varies:
        return (
            f"Results of the same configuration scatter with a standard deviation of "
            f"{_ends(noise[0])}, the same everywhere as far as can be told."
        )
    low, high = (_short(std) for std in result.spread)
    text = (
        "How much results of the same configuration scatter depends on the configuration: the "
        f"standard deviation of the {result.subject.objective_name} lies between {low} and {high} "
        "in nine tenths of the space"
    )
    if noise:
        text += f", and is {_ends(noise[0])} at the incumbent"
    shares = [claim for claim in claims if claim.kind in ("importance", "interaction")]
    named = [claim for claim in shares if claim.certain] or shares[:1]
    parts = [f"{SEPARATOR.join(c.hyperparameters)} ({_share(c)})" for c in named]
    text += f". What it depends on most: {join_words(parts)} of the variance of its logarithm."
    for claim in claims:
        if claim.kind == "noise_ratio" and claim.certain:
            text += f" {_ratio(claim)}"
    return text + reservation([*noise, *named])


def _ends(claim: Claim) -> str:
    low, high = claim.interval or (claim.estimate, claim.estimate)
    return f"{_short(claim.estimate)} (95% interval {_short(low)} to {_short(high)})"


def _short(value: float) -> str:
    """Return a number to two digits, all of those before the point included."""
    return f"{value:.0f}" if 99.5 <= value < 1e6 else number(value, 2)


def _share(claim: Claim) -> str:
    low, high = claim.interval or (claim.estimate, claim.estimate)
    return between(low, high)


def _ratio(claim: Claim) -> str:
    ((noisy, quiet),) = claim.values
    name = claim.hyperparameters[0]
    low, high = claim.interval or (claim.estimate, claim.estimate)
    return (
        f"At {name} = {format_value(noisy)} it is {_short(claim.estimate)} times "
        f"({_short(low)} to {_short(high)}) as large as at {format_value(quiet)}."
    )


OBSERVED = "observed, of one configuration"
PREDICTED = "predicted, with its 95% band"
POOLED = "all configurations, with its 95% interval"


def heading(objective: str, name: str | None) -> str:
    """Return the plot's heading; names are as they are written."""
    if name is None:
        return f"How much the {objective} of the same configuration scatters"
    return f"How {name} changes the noise of the {objective}"


def subtitle(result: Noise) -> str:
    """Say whether the noise is known to vary."""
    if result.varies:
        return "standard deviation of one evaluation, on average over all other hyperparameters"
    return "standard deviation of one evaluation: the same everywhere, as far as can be told"


def label(objective: str) -> str:
    """Return the label of the axis of standard deviations."""
    return f"standard deviation of {objective}"


def footer(result: Noise) -> str:
    """Say what the points are."""
    return (
        f"Points: sample standard deviations of {counted(len(result.observed), 'configuration')} "
        "that were evaluated several times."
    )


def noise_of(objective: str) -> str:
    """Return what is drawn along a hyperparameter."""
    return f"noise of {objective}"


RANK = "configurations, the quietest first"

"""Ablation in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hpo_explain._words import counted, join_words
from hpo_explain.explanations import Ablation
from hpo_explain.explanations.claims import Claim
from hpo_explain.facts import Fact
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_level, format_value, plus_minus
from hpo_explain.wording.subject import explained

_STD_OVER = {
    "posterior": "± is half the 95% interval of a gain under the model, simultaneous over the "
    "steps and without observation noise",
    "trees": "± is made from the standard deviation of a gain over the trees as a 95% interval "
    "would be, simultaneous over the steps; it is not a confidence interval",
}


def _same_configuration(fact: Fact) -> str:
    return (
        "source and target are the same configuration, so there is no difference to explain "
        f"({dict(fact['config'])!r}). Choose another source."
    )


add_facts(
    {
        "gain_std": lambda fact: _STD_OVER[fact["over"]],
        "flipped_at_once": lambda fact: (
            f"{join_words(fact.names)} are flipped at once: each alone would activate a "
            "hyperparameter that has a value in neither configuration"
        ),
        "shapley_sampled": "Shapley values are estimated from sampled coalitions",
        "gain_within_uncertainty": "the difference is within the model's uncertainty",
        "same_configuration": _same_configuration,
        "source_chosen": lambda fact: (
            f"source: trial {fact.trials[0]}, chosen because none was given"
        ),
    }
)


@sentence_of(Ablation)
def sentence(result: Ablation) -> str:
    """Say how far apart the two are, and which steps make up for it."""
    whole, *others = result.claims
    first, last = float(result.values[0]), float(result.values[-1])
    start = f"From {ends(result)} the {explained(result.subject)}"
    if whole.kind == "no_effect":
        return f"{start} does not change: it is {format_value(first)} along the whole path."
    start += f" goes from {format_level(first, whole.estimate)} to "
    start += format_level(last, whole.estimate)
    gain = plus_minus(abs(whole.estimate), whole.half)
    if whole.kind == "no_difference":
        return f"{start}: next to no difference ({gain}), and no step makes one."
    steps = [claim for claim in others if claim.kind == "gain"]
    if any(reason.kind == "gain_within_uncertainty" for reason in whole.because):
        text = f"{start}: the difference ({gain}) is within the model's uncertainty"
        told = f", but not that of {_steps(result, steps)}." if steps else ", and so is every step."
    else:
        text = f"{start}, {'an improvement' if whole.estimate >= 0.0 else 'a loss'} of {gain}"
        told = (
            f", mainly through {_steps(result, steps)}."
            if steps
            else ("; no single step is larger than its uncertainty.")
        )
    return f"{text}{told}{_order(result)}{reservation([*steps, whole])}"


def _steps(result: Ablation, claims: Sequence[Claim]) -> str:
    """Return steps with their gains."""
    return join_words(
        [
            f"{change(result, claim.hyperparameters)} with {plus_minus(claim.estimate, claim.half)}"
            for claim in claims
        ]
    )


def _order(result: Ablation) -> str:
    """Say which step's gain depends most on the order, if that is much."""
    for claim in result.claims:
        if claim.kind == "order_matters":
            i = result.steps.index(claim.hyperparameters)
            return (
                f" The steps act together: averaged over all orders, {result.labels[i]} gains "
                f"{format_value(claim.estimate)} (Shapley value), not "
                f"{format_value(float(result.gains[i]))}."
            )
    return ""


def ends(result: Ablation) -> str:
    """Return where the path leads: "trial 0 to trial 26" or "source to target"."""
    source = "source" if result.source_trial is None else f"trial {result.source_trial}"
    target = "target" if result.target_trial is None else f"trial {result.target_trial}"
    return f"{source} to {target}"


def change(result: Ablation, names: tuple[str, ...]) -> str:
    """Return what a step changes, as in "lr = 0.01 (was 0.1)"."""
    return " and ".join(f"{name} {new_value(result, name)}" for name in names)


def new_value(result: Ablation, name: str) -> str:
    """Return a hyperparameter's change, as in "= 0.01 (was 0.1)"."""
    return f"= {_value(result.target, name)} (was {_value(result.source, name)})"


def _value(config: Mapping[str, Any], name: str) -> str:
    return format_value(config[name]) if name in config else "inactive"


# ---------------------------------------------------------------------- the path's plot

IMPROVES, WORSE, ENDS = "improves", "makes it worse", "source and target"


def heading(result: Ablation) -> str:
    """Return the heading of the path's plot."""
    return f"From {ends(result)}: {explained(result.subject)}"


def subtitle(result: Ablation) -> str:
    """Return the whole gain, and how the path was found."""
    gain = plus_minus(result.total_gain, result.total_half)
    return (
        f"gain {gain} in {counted(len(result.steps), 'step')}; each step is the one that gains "
        "most after those above it"
    )


def label(result: Ablation) -> str:
    """Return what the path is measured in."""
    better = "left" if result.subject.lower_is_better else "right"
    return f"{explained(result.subject)}: {better} is better"


def footer(result: Ablation) -> str:
    """Say what the path's whiskers and brackets are."""
    text = {
        "posterior": "Whiskers: 95% intervals under the model, simultaneous over the steps and "
        "without observation noise.",
        "trees": "Whiskers: as 95% intervals from the standard deviation over the trees, which is "
        "not a confidence interval.",
    }.get(result.std_kind, "The gains have no standard deviation: the model gives none.")
    if any(result.along):
        text += " In brackets: what becomes active or inactive along with it."
    return text


# ---------------------------------------------------------------------- the shares' plot

GAIN, SHAPLEY = "ablation: gain when flipped", "Shapley value: average over all orders"


def shares_heading(result: Ablation) -> str:
    """Return the heading of the plot of gains beside Shapley values."""
    return f"What each change is worth: {explained(result.subject)}"


def shares_subtitle(result: Ablation) -> str:
    """Return the whole gain, and what Shapley values do not depend on."""
    return (
        f"the whole gain is {format_value(result.total_gain)}; Shapley values do not depend on the "
        "order of the steps"
    )


def shares_label(*, relative: bool) -> str:
    """Return what gains are measured in."""
    return "share of the whole gain" if relative else "gain: right is better"


def shares_footer(result: Ablation) -> str:
    """Say what counts as part of a step."""
    if not any(result.along):
        return ""
    return "What becomes active or inactive along with a step counts as part of it."


def caption(result: Ablation) -> str:
    """Return the caption of the path in a report."""
    return f"The {explained(result.subject)} along the path from {ends(result)}."


SHARES_CAPTION = "What each change gained when it was made, beside its Shapley value."

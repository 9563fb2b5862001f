"""Shapley interactions in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import counted, join_words, listed
from hpo_explain.explanations.shapley_interactions import ShapleyInteractions
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_level, format_value, number, percent, plus_minus
from hpo_explain.wording.plots import background_whiskers
from hpo_explain.wording.subject import configuration, explained

_MOST_NAMED = 6
_MOST_SHARES = 3

add_facts(
    {
        "interactions_may_exist": "the model's uncertainty allows for some",
        "play_as_one": lambda fact: (
            f"{listed(list(fact.names), _MOST_NAMED)} contribute least and play as one: what they "
            "do among themselves is not told apart"
        ),
    }
)


@sentence_of(ShapleyInteractions)
def sentence(result: ShapleyInteractions) -> str:
    """Say what is predicted, and what hyperparameters do to it only together."""
    about, gap = result.subject, result.prediction - result.baseline
    start = (
        f"The {explained(about)} of {configuration(about)} is "
        f"{format_level(result.prediction, gap)}, on average {format_level(result.baseline, gap)}."
    )
    if result.of == "variance":
        start = _of_variance(result)
    claims = result.claims
    if claims[0].kind == "no_interaction":
        return f"{start} No hyperparameters act together on it{_adds_up(claims[0])}."
    if claims[0].certain:
        told = "; ".join(_part(claim) for claim in claims)
        return f"{start} Beyond what each does by itself, {told}."
    return f"{start} The strongest interaction seems to be that of {_seeming(claims[0])}." + (
        reservation(claims[:1])
    )


def _of_variance(result: ShapleyInteractions) -> str:
    """Say how large the variance is, and what single hyperparameters have of it by themselves."""
    total, whole = result.total, result.prediction
    start = f"The variance of the {explained(result.subject)} over the space is {whole:.3g}"
    first = total.order([1])[:_MOST_SHARES] if whole > 0.0 else []
    told = [f"{total.label(i)} {percent(float(total.values[i]) / whole)}" for i in first]
    return f"{start}; by themselves, {join_words(told)}." if told else f"{start}."


def _adds_up(claim: Claim) -> str:
    if claim.certain:
        return ": what each does by itself adds up to the difference"
    return f", but this is not certain: {join_words([str(reason) for reason in claim.because])}"


def _values(claim: Claim) -> list[str]:
    if not claim.values:
        return list(claim.hyperparameters)
    pairs = zip(claim.hyperparameters, claim.values, strict=True)
    return [name if v is None else f"{name} = {format_value(v)}" for name, v in pairs]


def _part(claim: Claim) -> str:
    change = "raise" if claim.estimate > 0.0 else "lower"
    size = plus_minus(abs(claim.estimate), claim.half)
    return f"{join_words(_values(claim))} together {change} it by {size}"


def _seeming(claim: Claim) -> str:
    return f"{join_words(_values(claim))} ({claim.estimate:+.3g})"


def marks(result: ShapleyInteractions) -> tuple[str, str]:
    """Return what the two fills mean."""
    return ("more variance", "less") if result.of == "variance" else ("better", "worse")


def heading(result: ShapleyInteractions) -> str:
    """Return the heading of the plots."""
    if result.of == "variance":
        return f"Which hyperparameters the variance of the {explained(result.subject)} is due to"
    return (
        f"What hyperparameters do, alone and together, to the {explained(result.subject)} of "
        f"{configuration(result.subject)}"
    )


def subtitle(result: ShapleyInteractions) -> str:
    """Return prediction and average, and what adds up to the difference."""
    if result.of == "variance":
        whole = number(result.prediction)
        return f"All values add up to the variance {whole} ({result.index}, order {result.order})"
    gap = result.prediction - result.baseline
    return (
        f"{number(result.prediction, apart=gap)}, on average "
        f"{number(result.baseline, apart=gap)}: all values add up to the difference "
        f"({result.index}, order {result.order})"
    )


def label(result: ShapleyInteractions) -> str:
    """Return the label of an axis along which the explained function is drawn."""
    if result.of == "variance":
        return value(result)
    return explained(result.subject)


def value(result: ShapleyInteractions) -> str:
    """Return what the values are."""
    if result.of == "variance":
        return f"variance of the {explained(result.subject)}"
    side = "lower" if result.subject.lower_is_better else "higher"
    return f"contribution: {side} is better"


NETWORK = "Disks: what a hyperparameter does by itself; lines: what two do beyond that, together."
MATRIX = "On the diagonal: what a hyperparameter does by itself; below: what two do together."


def not_drawn(result: ShapleyInteractions, drawn: int) -> str:
    """Say how many sets are not drawn; empty for none."""
    left = len(result.total.sets) - drawn
    return f" {counted(left, 'smaller or larger set')} not drawn." if left > 0 else ""


def whiskers(result: ShapleyInteractions) -> str:
    """Say what whiskers are."""
    if result.of == "variance":
        return _of_variances(result)
    if result.total.model_std is None:
        return background_whiskers(
            result.background_size, known=result.total.half_width is not None
        )
    text = "Whiskers: 95 % interval of each step under the model"
    if result.total.half_width is None:
        return f"{text}."
    size = counted(result.background_size, "configuration")
    return f"{text} and of averaging over a background of {size}."


def _of_variances(result: ShapleyInteractions) -> str:
    if result.total.model_std is not None:
        return "Whiskers: 95 % interval of each step under the model and of integrating."
    if result.total.half_width is None:
        return "No intervals: the values are exact for the model, which does not say how certain."
    return "Whiskers: 95 % interval of integrating; it is not the model's uncertainty."


def others(count: int) -> str:
    """Return the label of a row that sums the smallest sets."""
    return f"{count} others"

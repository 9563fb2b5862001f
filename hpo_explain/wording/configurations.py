"""The configurations of a run in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.options import STATES
from hpo_explain.base.phrases import counted, join_words, listed
from hpo_explain.explanations.configurations import Configurations
from hpo_explain.space.support import FEW
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.numbers import format_value, percent
from hpo_explain.wording.plots import not_shown

_MOST_NAMED, _MOST_GAPS = 4, 3


@sentence_of(Configurations)
def sentence(result: Configurations) -> str:
    """Say how many trials there are, what was hardly tried, and whether the trials crowd."""
    n = int(result.finished.sum())
    if not n:
        return "No trial has finished yet, so nothing of the space was tried."
    what = (
        f"{counted(n, 'finished trial')} of {counted(len(result.subject.space), 'hyperparameter')}"
    )
    if n < FEW:
        return f"{what}: too few to say which values were tried."
    barely = result.claims
    if barely:
        told = [_gaps(claim) for claim in barely[:_MOST_NAMED]]
        rest = len(barely) - len(told)
        more = f"; and parts of {counted(rest, 'other')}" if rest else ""
        text = f"{what}. Hardly tried (fewer than {FEW} trials near): {'; '.join(told)}{more}."
    else:
        whole = "its range" if len(result.names) == 1 else "the range of each"
        text = f"{what}, which tried at least three quarters of {whole}."
    bias = result.bias
    return f"{text} {bias.sentence}" if bias is not None and bias.concentrated else text


def _gaps(claim: Claim) -> str:
    (name,) = claim.hyperparameters
    gaps = [
        format_value(low) if low == high else f"{format_value(low)} to {format_value(high)}"
        for low, high in claim.values
    ]
    return f"{name} = {listed(gaps, _MOST_GAPS)} ({percent(claim.estimate)} of its range)"


# ---------------------------------------------------------------------- plots


def heading(result: Configurations) -> str:
    """Return the plot's heading."""
    return f"Configurations of {counted(int(result.finished.sum()), 'trial')}"


def subtitle(result: Configurations) -> str:
    """Return what the panels are."""
    pairs = "; a point is a trial, the later the brighter" if len(result.names) > 1 else ""
    return f"bars count trials along the range of a hyperparameter{pairs}"


def footer(left_out: int, *, inactive: bool, gaps: bool) -> str:
    """Say what is hatched, what is missing, and how many hyperparameters are not drawn."""
    text = "Each hyperparameter is on its own scale."
    if gaps:
        text += f" Hatched: fewer than {FEW} finished trials near."
    if inactive:
        text += " A trial is missing where a hyperparameter is inactive."
    if left_out:
        text += not_shown(left_out, "other hyperparameter", "other hyperparameters")
        text += " names= chooses."
    return text


def parallel_subtitle(result: Configurations) -> str:
    """Return what a line is, and which way is better."""
    better = "lower" if result.direction == "minimize" else "higher"
    return (
        f"a line is a trial, the initial design included; {better} {result.objective_name} is "
        "better"
    )


def parallel_footer(result: Configurations, *, broken: bool) -> str:
    """Say what scales the rows have, why lines are broken, and which trials have no line."""
    text = "Each hyperparameter is on its own scale."
    if broken:
        text += " A line is broken where the hyperparameter is inactive."
    without = [f"{count} {kind}" for kind, count in without_result(result)]
    return f"{text} Without a line: {join_words(without)}." if without else text


def without_result(result: Configurations) -> list[tuple[str, int]]:
    """Return how many trials without a result there are of each kind."""
    return [(kind, n) for kind in STATES if (n := result.states.count(kind))]


POSITION = "position within the range"
FIRST, LAST, BEST, HIGHLIGHTED = "first", "last", "best", "highlighted"


def trial(label: str, number: int) -> str:
    """Return the entry of a legend for a trial."""
    return f"{label}: trial {number}"


def of_kind(kind: str, count: int) -> str:
    """Return the entry of a legend for trials of a kind."""
    return f"{kind} ({count})"

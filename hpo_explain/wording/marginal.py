"""Marginal predictions in words."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain._words import join_words
from hpo_explain.explanations import Marginal
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.fanova import activity
from hpo_explain.wording.numbers import format_value
from hpo_explain.wording.partial_dependence import UNTRIED
from hpo_explain.wording.subject import better

_STD = {
    "trees": ("std over trees", "std over the trees of the forest"),
    "draws": ("posterior std", "posterior std of the mean over all others"),
}
LEFT_OUT = ("worse category", "worse categories")


@sentence_of(Marginal)
def sentence(result: Marginal) -> str:
    """Say where the best prediction is."""
    (claim,) = result.claims
    if claim.kind == "flat":
        return "The marginal prediction is the same everywhere."
    at = ", ".join(
        f"{name} = {format_value(value)}"
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    )
    return f"The best marginal prediction is at {at}.{reservation(result.claims)}"


def heading(objective: str, names: Sequence[str]) -> str:
    """Return the plot's heading."""
    return f"Predicted {objective} by {join_words(names)}"


def subtitle(result: Marginal, names: Sequence[str], where: str) -> str:
    """Return over what the prediction is averaged, and where the hyperparameters are active."""
    given = f"given {where}, " if where else ""
    return "\n".join(
        [
            f"{given}averaged over all other hyperparameters; {better(result.subject)} is better",
            *(
                f"{name} is {activity(share, bool(where))} and makes no difference elsewhere"
                for name, share in zip(names, result.activity, strict=True)
                if share < 1.0
            ),
        ]
    )


def footer(result: Marginal, as_points: bool) -> str:
    """Say what the band and the marks are, and what is dimmed."""
    points = as_points and len(result.names) == 1
    if result.supported.all():
        return _footer(result, as_points)
    return f"{_footer(result, as_points)} {'Hollow' if points else 'Dimmed'}: {UNTRIED}."


def _footer(result: Marginal, as_points: bool) -> str:
    tried = any(result.tried)
    if len(result.names) == 2:
        text = (
            f"The {_STD[result.rows][0]} is {result.std.mean():.2g} on average, at most "
            f"{result.std.max():.2g}."
        )
        return f"{text} Dots: tried values." if tried else text
    text = f"{'Bars' if as_points else 'Band'}: {_STD[result.rows][1]}."
    if tried and result.categorical[0]:
        return f"{text} In brackets: how often it was tried."
    return f"{text} Marks along the axis: tried values." if tried else text

"""Explanations of many predictions in words."""

from __future__ import annotations

from hpo_explain.base.phrases import counted, join_words
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.prediction_overview import PredictionOverview
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.numbers import format_value, number
from hpo_explain.wording.plots import not_shown


@sentence_of(PredictionOverview)
def sentence(result: PredictionOverview) -> str:
    """Say which hyperparameters move the predictions most."""
    name = result.subject.objective_name
    start = f"Over {counted(len(result.phi), 'configuration')}"
    parts = [
        f"{claim.hyperparameters[0]} (by {format_value(claim.estimate)} on average)"
        for claim in result.claims
        if claim.kind == "effect"
    ]
    if not parts:
        return f"{start} no hyperparameter moves the predicted {name}."
    return f"{start} the predicted {name} is moved most by {join_words(parts)}."


VALUE, LOW, HIGH = "value", "low", "high"


def heading(subject: Subject) -> str:
    """Return the plot's heading."""
    return f"What moves the predicted {subject.objective_name}"


def subtitle(result: PredictionOverview) -> str:
    """Say what a point is."""
    return (
        f"one point per configuration ({len(result.phi)}), compared with the average prediction "
        f"{number(result.baseline)}"
    )


def footer(left_out: int) -> str:
    """Say what the colors are, and what is not drawn."""
    text = (
        "Low and high are on the hyperparameter's own scale; categories are colored in their "
        "order. Where a hyperparameter is inactive there is no point."
    )
    return text + not_shown(left_out, "that moves it less", "that move it less")

"""Explanations of a prediction in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import join_words
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.prediction import PredictionExplanation
from hpo_explain.wording._registry import sentence_of
from hpo_explain.wording.numbers import format_level, format_value, number
from hpo_explain.wording.plots import MODEL_BARS, background_whiskers, not_shown
from hpo_explain.wording.subject import configuration


@sentence_of(PredictionExplanation)
def sentence(result: PredictionExplanation) -> str:
    """Say what makes the prediction what it is."""
    about, gap = result.subject, result.prediction - result.baseline
    start = (
        f"The {about.objective_name} predicted for {configuration(about)} is "
        f"{format_level(result.prediction, gap)}, on average {format_level(result.baseline, gap)}"
    )
    told, unsure = (
        [_part(c) for c in result.claims if c.kind == "reason" and c.certain is certain]
        for certain in (True, False)
    )
    text = f"{start}, mainly because of {join_words(told)}" if told else start
    if unsure:
        moves = "raises or lowers" if len(unsure) == 1 else "raise or lower"
        text += f"; it cannot be told whether {join_words(unsure)} {moves} it"
    return f"{text}."


def _part(claim: Claim) -> str:
    return f"{claim.hyperparameters[0]} = {format_value(claim.values[0])} ({claim.estimate:+.4g})"


BETTER, WORSE = "better", "worse"


def heading(subject: Subject) -> str:
    """Return the plot's heading."""
    return f"Why is this {subject.objective_name} predicted for {configuration(subject)}?"


def subtitle(result: PredictionExplanation) -> str:
    """Return prediction and average."""
    gap = result.prediction - result.baseline
    return (
        f"predicted {number(result.prediction, apart=gap)}, on average "
        f"{number(result.baseline, apart=gap)}: the bars add up to the difference"
    )


def label(subject: Subject) -> str:
    """Return the label of the axis of contributions."""
    side = "left" if subject.direction == "minimize" else "right"
    return f"contribution to the predicted {subject.objective_name}: {side} is better"


def footer(result: PredictionExplanation) -> str:
    """Say what the whiskers are, and what is not drawn."""
    text = background_whiskers(result.background_size, known=result.half_width is not None)
    if result.model_std is not None:
        text += f" {MODEL_BARS}"
    return text + not_shown(int((~result.active).sum()), "inactive", "inactive")

"""Local importance in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import join_words
from hpo_explain.explanations.local_importance import LocalImportance
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.fanova import WHISKERS
from hpo_explain.wording.numbers import format_value, percent
from hpo_explain.wording.subject import configuration, explained

add_facts(
    {
        "shares_over_trees": "shares are means over the trees; ± is their standard deviation over "
        "the trees, not a confidence interval",
        "local_std_over_trees": "± is the standard deviation of a share over the trees, not a "
        "confidence interval",
        "share_uncertainty_unknown": "the uncertainty of a share is known in part only",
        "shares_over_draws": lambda fact: (
            f"± is the standard deviation of a share over {fact['draws']} draws from the model's "
            "posterior"
        ),
        "shares_without_std": "shares have no standard deviation: the model gives no joint "
        "posterior of so many points",
        "switched_on_averaged": "hyperparameters that another value activates are averaged over "
        "their own values",
    }
)


@sentence_of(LocalImportance)
def sentence(result: LocalImportance) -> str:
    """Say what matters around the configuration."""
    about, what = configuration(result.subject), explained(result.subject)
    leading = [claim for claim in result.claims if claim.kind == "importance"]
    if not leading:
        return (
            f"Around {about} no hyperparameter alone changes the {what}, which is "
            f"{format_value(result.prediction)}."
        )
    parts = [
        f"{claim.hyperparameters[0]} with {percent(claim.estimate, _std(result, claim))}"
        for claim in leading
    ]
    return (
        f"Around {about} the {what} varies most along {join_words(parts)} of the variance along "
        "single hyperparameters."
    )


def _std(result: LocalImportance, claim: Claim) -> float | None:
    """Return the standard deviation of a share."""
    if result.std is None:
        return None
    return float(result.std[result.names.index(claim.hyperparameters[0])])


def heading(result: LocalImportance) -> str:
    """Return the plot's heading."""
    return f"What matters around {configuration(result.subject)}"


def subtitle(result: LocalImportance) -> str:
    """Return what the plot shows."""
    return (
        f"variance of the {explained(result.subject)} when one hyperparameter alone takes its "
        f"other values; here it is {format_value(result.prediction)}"
    )


LABEL = "share of the variance along single hyperparameters"


def whiskers(result: LocalImportance) -> str:
    """Say what the plot's whiskers are."""
    return {
        "trees": WHISKERS,
        "posterior": "Whiskers: standard deviation over draws from the model's posterior.",
    }.get(result.std_kind, "The shares have no standard deviation: the model gives none.")


def caption(result: LocalImportance) -> str:
    """Return the caption of the plot in a report."""
    return f"Variance of the {explained(result.subject)} along single hyperparameters."

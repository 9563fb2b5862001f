"""Several runs side by side, in words."""

from __future__ import annotations

from hpo_explain.base.claim import Claim
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import join_words, listed
from hpo_explain.explanations.comparison import Comparison
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.doubts import reservation
from hpo_explain.wording.numbers import format_value, percent

_MOST_NAMED = 3
_MOST_VALUES = 8


def _not_shared(fact: Fact) -> str:
    left = [f"{run}: {', '.join(names)}" for run, names in fact["left"] if names]
    others = f"; averaged over, as not all have them: {'; '.join(left)}" if left else ""
    return f"the runs are compared in {join_words(fact.names)}{others}"


add_facts(
    {
        "not_shared": _not_shared,
        "values_shared": lambda fact: (
            f"{join_words(fact.names)}: compared in the values that all runs allow; shares are "
            "those within these values"
        ),
        "runs_not_trusted": lambda fact: (
            f"the model predicts badly, or it is not known how well, in {join_words(fact.names)}"
        ),
        "default_may_be_bad": "the best one for all may be no better than an average one in some",
        "default_not_tried": lambda fact: (
            f"hardly any trial has such values in {join_words(fact.names)}"
        ),
    }
)


@sentence_of(Comparison)
def sentence(result: Comparison) -> str:
    """Say what matters in all runs, what differs, and which configuration is good in all."""
    claims = result.claims
    everywhere = [claim for claim in claims if claim.kind == "everywhere"]
    differing = [claim for claim in claims if claim.kind == "shares_differ"]
    (default,) = (claim for claim in claims if claim.kind == "default")
    named = everywhere[:_MOST_NAMED]
    runs = _all(result)
    if named:
        parts = [f"{c.hyperparameters[0]} ({_on_average(c)})" for c in named]
        text = f"In {runs} {join_words(parts)} {'matter' if named[1:] else 'matters'}"
    else:
        text = f"No hyperparameter is known to matter in {runs}"
    for claim in differing[:1]:
        text += f". {_differs(result, claim)}"
    shown = [claim for claim in (*named, *differing[:1]) if not claim.certain]
    text = f"{text}.{reservation(shown)}"
    if default.certain:
        return f"{text} {_one_for_all(default)}"
    return f"{text} No configuration is known to be good in {runs}.{reservation([default])}"


def _all(result: Comparison) -> str:
    return "both runs" if len(result.runs) == 2 else f"all {len(result.runs)} runs"


def _on_average(claim: Claim) -> str:
    low = 0.0 if claim.interval is None else claim.interval[0]
    return f"{percent(claim.estimate)} of the variance on average, at least {percent(low)} in each"


def _differs(result: Comparison, claim: Claim) -> str:
    ((most, least),) = claim.values
    name = claim.hyperparameters[0]
    j = result.names.index(name)
    high, low = (result.shares[result.runs.index(run), j] for run in (most, least))
    return (
        f"{name} matters more in {most} ({percent(float(high))}) than in {least} "
        f"({percent(float(low))})"
    )


def _one_for_all(claim: Claim) -> str:
    values = [
        f"{name} = {format_value(value)}"
        for name, value in zip(claim.hyperparameters, claim.values, strict=True)
    ]
    loss = f"{percent(claim.estimate)} of what tuning gains over an average configuration"
    text = f"One configuration for all, {listed(values, _MOST_VALUES)}, loses {loss} on average"
    upper = 1.0 if claim.interval is None else claim.interval[1]
    return f"{text}, and at most {percent(upper)} in each."


SHARES_LABEL = "share of the variance, alone"
EACH_RUN = "each run"
MEAN = "mean over the runs"
INCUMBENT = "incumbents"
EFFECT_LABEL = "loss"


def heading(result: Comparison) -> str:
    """Return the heading of the plot of shares."""
    return f"What matters in {len(result.runs)} runs"


def subtitle(result: Comparison) -> str:
    """Say which runs these are."""
    return f"runs: {listed(list(result.runs), _MOST_VALUES)}"


def footer(result: Comparison) -> str:
    """Say what the whiskers are."""
    return (
        "Whiskers: one standard deviation over the runs, in which the uncertainty of each run's "
        "own share is contained."
    )


def effects_heading(result: Comparison) -> str:
    """Return the heading of the plot of effects."""
    return f"The effects in {len(result.runs)} runs"


EFFECTS_SUBTITLE = "mean predicted loss: 0 is the best configuration of the run, 1 an average one"
WENT = "middle half of the later trials"


def effects_footer(left: list[str]) -> str:
    """Say what the bars under the curves are, and which hyperparameters have no panel."""
    text = (
        "Bars along the bottom: the middle half of the values in the later half of each run's "
        "trials."
    )
    return text + (f" Without a panel, as they matter less: {', '.join(left)}." if left else "")

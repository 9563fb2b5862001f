"""Functional ANOVA in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from hpo_explain.base.claim import NOTHING, Claim
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.phrases import counted, join_words
from hpo_explain.explanations.fanova import SEPARATOR, FanovaImportance
from hpo_explain.space import FloatParameter, SearchSpace
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, percent, values_in_words

WHISKERS = "Whiskers: standard deviation over the trees of the forest, not a confidence interval."
_INTERVALS = {
    "trees": "Whiskers: 95% interval over redrawn trials and noise (refitted forests).",
    "draws": "Whiskers: 95% credible interval over functions drawn from the posterior.",
}
ALONE = "alone"
TOTAL = "total, with all interactions"
CONSTANT = "constant: no hyperparameter matters"
PAIR_SHARE = "share of the variance"

_KINDS = {1: "hyperparameters alone", 2: "pairs", 3: "triples"}
_MOST_UNSTABLE = 3
_MOST_DIFFERENT = 3


def _trees_constant(fact: Fact) -> str:
    verbs = "is constant and has" if fact["constant"] == 1 else "are constant and have"
    return f"{fact['constant']} of {fact['trees']} trees {verbs} no shares"


def _capped(cap: float, direction: str) -> str:
    side = "above" if direction == "minimize" else "below"
    return f"predictions {side} {cap:.6g} count as {cap:.6g}"


def _r2(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "not known"


add_facts(
    {
        "trees_constant": _trees_constant,
        "shares_drawn": lambda fact: (
            f"shares are those of {fact['draws']} functions drawn from the posterior of a GP, with "
            f"{fact['kernels']} kernels that the trials allow; noise is no part of them"
        ),
        "categories_counted": lambda fact: (
            f"of the categories of {join_words(fact.names)} at most {fact['most']} that were tried "
            "are counted, and one that stands for all never tried"
        ),
        "shares_refitted": (
            "shares are corrected for what noise adds to them; their interval is over redrawn "
            "trials and noise, std is over the trees"
        ),
        "model_chosen": lambda fact: (
            f"{fact['model']} answers: R² on held-out trials is {_r2(fact['r2'])}, that of "
            f"{fact['other']} is {_r2(fact['other_r2'])}"
        ),
        "other_model": lambda fact: f"{fact.names[0]} predicts held-out trials about as well",
        "models_differ": "the two models disagree",
        "no_interval_of_shares": "the shares have no interval",
        "share_may_be_nothing": lambda fact: (
            f"{SEPARATOR.join(fact.names)} may explain next to nothing"
        ),
        "forest_distilled": lambda fact: (
            f"the model was distilled into a forest with R² = {fact['fidelity']:.3f}"
        ),
        "predictions_capped": lambda fact: _capped(fact["cap"], fact["direction"]),
        "objectives_capped": "the forest has learned the trials' objectives capped in this way",
        "totals_left_out": lambda fact: (
            f"total effects are left out: they need {fact['pairs']:.1e} pairs of leaves"
        ),
    }
)


@sentence_of(FanovaImportance)
def sentence(result: FanovaImportance) -> str:
    """Say where models differ, what matters most, how sure that is, and what is left."""
    objective = result.subject.objective_name
    claims = {kind: [c for c in result.claims if c.kind == kind] for kind in _SAID}
    if claims["no_effect"]:
        return f"The predicted {objective} is constant: no hyperparameter matters."
    named = [*claims["importance"], *claims["interaction"]]
    named.sort(key=lambda claim: -claim.estimate)
    parts = [f"{SEPARATOR.join(c.hyperparameters)} ({_share(result, c)})" for c in named]
    where = f" given {sub_space(result.subject.space, result.given)}" if result.given else ""
    by = f" (by {result.subject.model})" if result.subject.model else ""
    sentences = [_differ(result, claims["models_differ"])]
    most = f"What the {objective} depends on most{where}{by}: {join_words(parts)} of its variance"
    for mains in claims["mains"]:
        most += f"; single hyperparameters explain {_share(result, mains)} together"
    sentences.append(f"{most}.")
    if result.intervals is not None:
        sentences.append(_doubtful([c for c in result.claims if c.kind != "models_differ"]))
    return " ".join(filter(None, sentences))


_SAID = ("models_differ", "no_effect", "importance", "interaction", "mains")


def _share(result: FanovaImportance, claim: Claim) -> str:
    """Return a share: the ends of its interval, or with its std over trees."""
    if result.intervals is None or claim.interval is None:
        return percent(claim.estimate, claim.half)
    return between(*claim.interval)


def between(lower: float, upper: float) -> str:
    """Return an interval of shares in words.

    Examples
    --------
    >>> between(0.4, 0.62), between(0.0, 0.03), between(0.991, 1.0), between(0.498, 0.502)
    ('between 40% and 62%', 'at most 3%', 'at least 99%', '50%')
    """
    low, high = percent(lower), percent(upper)
    if low == high:
        return low
    if lower < NOTHING:
        return f"at most {high}"
    return f"at least {low}" if upper > 1.0 - NOTHING else f"between {low} and {high}"


def _differ(result: FanovaImportance, claims: Sequence[Claim]) -> str:
    """Say that two models disagree; empty where they do not."""
    if not claims:
        return ""
    shares, bounds = dict(zip(result.names, range(len(result.names)), strict=True)), result.bounds
    parts = []
    for claim in claims[:_MOST_DIFFERENT]:
        (name,) = claim.hyperparameters
        own = bounds(shares[name])
        parts.append(f"{name} ({_share(result, claim)} there, {between(*own) if own else ''} here)")
    other = claims[0].because[0].names[0]
    return (
        f"Two models disagree: {other} predicts held-out trials about as well, but sees other "
        f"shares of {join_words(parts)}."
    )


def disagreement(result: FanovaImportance) -> str:
    """Say where another model of similar skill disagrees; empty where none does."""
    return _differ(result, [c for c in result.claims if c.kind == "models_differ"])


def _doubtful(claims: Sequence[Claim]) -> str:
    """Say why nothing, or not everything, of some claims is certain; empty where all is."""
    # that a share may be nothing is in its interval
    reasons = list(
        dict.fromkeys(
            reason
            for claim in claims
            for reason in claim.because
            if reason.kind not in ("share_may_be_nothing", "range_partly_tried")
        )
    )
    barely = [r for claim in claims for r in claim.because if r.kind == "range_partly_tried"]
    if barely:
        names = dict.fromkeys(name for reason in barely for name in reason.names)
        reasons.append(fact("range_partly_tried", names=names))
    if not reasons:
        return ""
    which = "This" if not any(claim.certain for claim in claims) else "Not all of this"
    verb = "is not certain" if which == "This" else "is certain"
    return f"{which} {verb}: {join_words([str(reason) for reason in reasons])}."


def sub_space(space: SearchSpace, given: Mapping[str, Sequence[Any]]) -> str:
    """Return a sub-space in words; empty for the whole space."""
    return join_words([_restricted(space, name, values) for name, values in given.items()])


def _restricted(space: SearchSpace, name: str, values: Sequence[Any]) -> str:
    if isinstance(space[name], FloatParameter):
        return f"{name} between {join_words([format_value(value) for value in values])}"
    return f"{name} in {{{values_in_words(values)}}}"


# ---------------------------------------------------------------------- around the bars


def heading(objective: str) -> str:
    """Return the heading of the bars."""
    return f"What the {objective} depends on"


def subtitle(result: FanovaImportance, where: str) -> str:
    """Return what the bars show, in which sub-space, and what each order explains."""
    lines = [f"given {where}" if where else "over the whole search space"]
    if result.cap is not None:
        lines[0] += f"; {_capped(result.cap, result.subject.direction)}"
    if result.total_variance > 0.0:
        parts = []
        for order in range(1, result.order + 1):
            at = [i for i, u in enumerate(result.members) if len(u) == order]
            share = min(1.0, float(result.estimate[at].sum()))
            parts.append(f"{_KINDS.get(order, f'sets of {order}')} {percent(share)}")
        if result.order < len(result.names):
            rest = max(0.0, 1.0 - float(result.estimate.sum()))
            parts.append(f"larger interactions {percent(rest)}")
        lines.append(", ".join(parts))
    if result.fidelity is not None:
        lines.append(f"forest distilled from the model: R² = {result.fidelity:.3f}")
    return "\n".join(lines)


def label(objective: str) -> str:
    """Return the label of the bars' axis."""
    return f"share of the variance of the predicted {objective}"


def interaction(order: int) -> str:
    """Return what a bar of a set of more than one is."""
    return f"interaction of {order}"


def others(count: int, noun: str) -> str:
    """Return the label of a bar that is the sum of all that are left."""
    return f"{counted(count, f'other {noun}')} (sum)"


def activity(share: float, given: bool) -> str:
    """Return in how much of the space a hyperparameter is active."""
    return f"active in {percent(share)} of the {'sub-space' if given else 'space'}"


def whiskers(result: FanovaImportance) -> str:
    """Say what the whiskers of a result are."""
    return WHISKERS if result.intervals is None else _INTERVALS[result.rows]


def footer(result: FanovaImportance, unstable: Sequence[tuple[str, str]]) -> str:
    """Say what the whiskers are, and which neighbours have no stable order."""
    if not unstable:
        return whiskers(result)
    pairs = "; ".join(" and ".join(pair) for pair in unstable[:_MOST_UNSTABLE])
    more = len(unstable) - _MOST_UNSTABLE
    return (
        f"{whiskers(result)} Not in the same order in all {result.rows}: {pairs}"
        f"{f'; and {more} more' if more > 0 else ''}."
    )


# ---------------------------------------------------------------------- around the pairs


def pairs_heading(objective: str) -> str:
    """Return the heading of the matrix of pairs."""
    return f"Which hyperparameters interact on the {objective}"


def pairs_subtitle(share: float, where: str) -> str:
    """Return what all pairs explain together."""
    return (
        f"{f'given {where}: ' if where else ''}all pairs together explain {percent(share)} of the "
        "variance, beyond what their members explain alone"
    )


def pairs_footer(result: FanovaImportance, written: bool, largest: float) -> str:
    """Say what stands in the cells, or how uncertain they are at most."""
    kind = f"std over {result.rows}" if result.intervals is None else "half its 95% interval"
    if written:
        return f"In the cells: share in percent ± {kind}."
    return f"For each share the {kind} is at most {largest:.1%}."


PAIRS_LEFT_OUT = (
    "hyperparameter with smaller interactions",
    "hyperparameters with smaller interactions",
)

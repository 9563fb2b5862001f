"""Functional ANOVA in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hpo_explain._words import counted, join_words
from hpo_explain.explanations import FanovaImportance
from hpo_explain.explanations.claims import NOTHING
from hpo_explain.explanations.fanova import SEPARATOR
from hpo_explain.facts import Fact
from hpo_explain.space import FloatParameter, SearchSpace
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, percent, values_in_words

WHISKERS = "Whiskers: standard deviation over the trees of the forest, not a confidence interval."
ALONE = "alone"
TOTAL = "total, with all interactions"
CONSTANT = "constant: no hyperparameter matters"
PAIR_SHARE = "share of the variance"

_KINDS = {1: "hyperparameters alone", 2: "pairs", 3: "triples"}
_MOST_UNSTABLE = 3


def _trees_constant(fact: Fact) -> str:
    verbs = "is constant and has" if fact["constant"] == 1 else "are constant and have"
    return f"{fact['constant']} of {fact['trees']} trees {verbs} no shares"


def _capped(cap: float, direction: str) -> str:
    side = "above" if direction == "minimize" else "below"
    return f"predictions {side} {cap:.6g} count as {cap:.6g}"


add_facts(
    {
        "trees_constant": _trees_constant,
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
    """Say what matters most, and how much is left to interactions."""
    objective = result.subject.objective_name
    first, *others = result.claims
    if first.kind == "no_effect":
        return f"The predicted {objective} is constant: no hyperparameter matters."
    mains = [claim for claim in others if claim.kind == "mains"]
    parts = [
        f"{SEPARATOR.join(claim.hyperparameters)} ({percent(claim.estimate, claim.half)})"
        for claim in result.claims
        if claim.kind != "mains"
    ]
    where = f" given {sub_space(result.subject.space, result.given)}" if result.given else ""
    most = f"What the {objective} depends on most{where}: {join_words(parts)} of its variance"
    if not mains:
        return f"{most}."
    if mains[0].estimate > 1.0 - NOTHING:
        return f"{most}; interactions explain next to nothing."
    return (
        f"{most}; single hyperparameters explain {percent(mains[0].estimate)} together, "
        "interactions the rest."
    )


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
            share = float(result.shares[:, at].sum(axis=1).mean())
            parts.append(f"{_KINDS.get(order, f'sets of {order}')} {percent(share)}")
        if result.order < len(result.names):
            rest = max(0.0, 1.0 - float(result.shares.sum(axis=1).mean()))
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


def footer(unstable: Sequence[tuple[str, str]]) -> str:
    """Say what the whiskers are, and which neighbours have no stable order."""
    if not unstable:
        return WHISKERS
    pairs = "; ".join(" and ".join(pair) for pair in unstable[:_MOST_UNSTABLE])
    more = len(unstable) - _MOST_UNSTABLE
    return (
        f"{WHISKERS} Not in the same order in all trees: {pairs}"
        f"{f'; and {more} more' if more > 0 else ''}."
    )


# ---------------------------------------------------------------------- around the pairs


def pairs_heading(objective: str) -> str:
    """Return the heading of the matrix of pairs."""
    return f"Which hyperparameters interact on the {objective}"


def pairs_subtitle(mean: float, std: float, where: str) -> str:
    """Return what all pairs explain together."""
    return (
        f"{f'given {where}: ' if where else ''}all pairs together explain {percent(mean)} of the "
        f"variance (std over trees {percent(std)}), beyond what their members explain alone"
    )


def pairs_footer(written: bool, largest: float) -> str:
    """Say what stands in the cells, or how uncertain they are at most."""
    if written:
        return "In the cells: share in percent ± std over trees."
    return f"The std over trees of a share is at most {largest:.1%}."


PAIRS_LEFT_OUT = (
    "hyperparameter with smaller interactions",
    "hyperparameters with smaller interactions",
)

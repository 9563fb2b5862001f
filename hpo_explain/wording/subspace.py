"""Important subspaces in words."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain.base.claim import Claim
from hpo_explain.base.phrases import join_words
from hpo_explain.explanations.subspace import Subspace
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import percent

HEADING = "Important subspace"
LABEL = "share of the variance, explained together"
ASKED_FOR = "share asked for"

_CAPPED = ("predictions_capped", "objectives_capped")

add_facts(
    {
        "set_grown_greedily": "the set was grown greedily by main and pair effects, because "
        "there are too many sets to compare",
        "parents_added": lambda fact: (
            f"{join_words(fact.names)} added: hyperparameters that are inactive in the incumbent "
            "depend on it"
        ),
        "inactive_not_fixed": lambda fact: (
            f"not fixed, because inactive in the incumbent: {join_words(fact.names)}"
        ),
        "nothing_fixed": "nothing is fixed: no incumbent is known",
        "shares_of_a_forest": "the spread over trees is not an interval of the share",
        "cap_is_the_best": "not capped: too many trials reach the best objective",
        "sub_space_not_judged": "it is judged in the whole space only",
        "no_posterior_to_draw": "the model has no joint posterior",
    }
)


@sentence_of(Subspace)
def sentence(result: Subspace) -> str:
    """Name the set, what it explains, and what can stay fixed."""
    first, *others = result.claims
    if first.kind == "no_effect":
        return "The prediction is constant: no hyperparameter matters."
    one = len(first.hyperparameters) == 1
    capped = any(note.kind in _CAPPED for note in result.notes)
    among = " among good predictions" if capped else ""
    together = "" if one else ", interactions among them included"
    return (
        f"{join_words(first.hyperparameters)} explain{'s' if one else ''} "
        f"{percent(first.estimate, float(result.std[-1]))} (std over trees) of the variance"
        f"{among}{together}. {_fixed(result, others)}"
    )


def _fixed(result: Subspace, claims: Sequence[Claim]) -> str:
    """Say what can stay fixed, or that it cannot be told."""
    for claim in claims:
        if len(claim.hyperparameters) == len(result.subject.names):
            return "All hyperparameters can stay at the incumbent's values: little is left to gain."
        return (
            f"{join_words(claim.hyperparameters)} can stay at the incumbent's values: most of what "
            "can still be gained is left."
        )
    if result.doubts:
        reasons = join_words([str(doubt) for doubt in result.doubts])
        return f"What can stay fixed cannot be told: {reasons}."
    return "No hyperparameter can certainly stay fixed."


def subtitle(share: float) -> str:
    """Return what the bars are."""
    return (
        "share of the variance that the first, the first two, and so on explain with their "
        f"interactions; {percent(share)} was asked for"
    )

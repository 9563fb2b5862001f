"""Important subspaces in words."""

from __future__ import annotations

from hpo_explain._words import counted, join_words
from hpo_explain.explanations import Subspace
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import percent

HEADING = "Important subspace"
LABEL = "share of the variance, explained together"
ASKED_FOR = "share asked for"

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
    }
)


@sentence_of(Subspace)
def sentence(result: Subspace) -> str:
    """Name the set, what it explains, and what can stay fixed."""
    first, *others = result.claims
    if first.kind == "no_effect":
        return "The prediction is constant: no hyperparameter matters."
    one = len(first.hyperparameters) == 1
    together = "" if one else ", interactions among them included"
    fixed = "; no hyperparameter can stay fixed" if result.whole else ""
    for claim in others:
        fixed = f"; {counted(len(claim.hyperparameters), 'other')} can stay fixed"
    return (
        f"{join_words(first.hyperparameters)} explain{'s' if one else ''} "
        f"{percent(first.estimate, first.half)} (std over trees) of the variance{together}{fixed}."
    )


def subtitle(share: float) -> str:
    """Return what the bars are."""
    return (
        "share of the variance that the first, the first two, and so on explain with their "
        f"interactions; {percent(share)} was asked for"
    )

"""Desirability paths in words."""

from __future__ import annotations

from collections.abc import Iterable

from hpo_explain.base.claim import Claim
from hpo_explain.base.errors import Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import counted, join_words, listed, spans
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.path import DesirabilityPath
from hpo_explain.wording import plots
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import number
from hpo_explain.wording.proposal import criterion

_MOST_TURNS = 3
_MOST_CRITERIA = 3
_MOST_NAMED = 8

add_facts(
    {
        "several_criteria": lambda fact: (
            f"the proposals were made by several criteria ({', '.join(fact.names)}), whose "
            "contributions have different units; ",
            Option("acquisition", "lcb"),
            " explains all of them by one",
        ),
        "depends_on_kappa": lambda fact: (
            f"it depends on κ, which is assumed to be {fact['kappa']:g}: it does not hold for all "
            f"from {fact['low']:g} to {fact['high']:g}"
        ),
        "no_mean_term": lambda fact: (
            f"{join_words(fact.names)} has no term of the mean alone. Use ",
            Option("acquisition", "lcb"),
            ".",
        ),
    }
)


@sentence_of(DesirabilityPath)
def sentence(result: DesirabilityPath) -> str:
    """Say what drove the proposals, and when uncertainty gave way to the mean."""
    count = counted(len(result), "proposal")
    drivers = [c for c in result.claims if c.kind == "driver"]
    if not drivers:
        return f"None of the {count} stands out from an average configuration."
    text = f"Over {count}, {_drivers(drivers)} mattered most to what was proposed"
    turns = [claim for claim in result.claims if claim.kind == "turning_point"]
    told = [
        f"{claim.hyperparameters[0]} from trial {claim.values[0]} on"
        for claim in turns
        if claim.certain
    ]
    if told:
        when = join_words(told[:_MOST_TURNS])
        text += f"; the predicted objective took the lead from uncertainty for {when}"
    unsure = [claim.hyperparameters[0] for claim in turns if not claim.certain]
    if unsure:
        also = "also did" if told else "took the lead from uncertainty"
        what = "it" if told else "the predicted objective"
        text += f"; whether {what} {also} for {join_words(unsure[:_MOST_TURNS])} depends on κ"
    for claim in result.claims:
        if claim.kind == "balance":
            text += f". {_balance(claim)}"
    if result.kappa and any(c.kind in ("turning_point", "balance") for c in result.claims):
        text += f". κ = {result.kappa:g} is assumed"
    return f"{text}."


def _drivers(drivers: list[Claim]) -> str:
    """Return what drove the proposals; what did for the assumed κ alone, in brackets."""
    certain = [c.hyperparameters[0] for c in drivers if c.certain]
    unsure = [c.hyperparameters[0] for c in drivers if not c.certain]
    if not unsure:
        return join_words(certain)
    others = f"for the assumed κ {join_words(unsure)}"
    return f"{join_words(certain)} and {others}" if certain else others


def _balance(claim: Claim) -> str:
    text = (
        f"Of the contributions to the latest proposals {claim.estimate:.0%} are about uncertainty"
    )
    if claim.interval is None:
        return text
    low, high = claim.interval
    text += f" ({low:.0%} to {high:.0%} for κ from 1 to 3)"
    return text if claim.certain else f"{text}: which of the two leads depends on κ"


# ---------------------------------------------------------------------- the plot of contributions

SUBTITLE = "Above 0 a value made the proposal more desirable than an average configuration."
TURN = "the mean leads from here on"
INTERVAL = "95 % interval of the total"


def turn(trial: int) -> str:
    """Return the text at a turning point."""
    return f"from trial {trial}"


def heading(result: DesirabilityPath, subjects: list[Subject]) -> str:
    """Return the plot's heading; the subjects are one of each criterion, as they are shown."""
    one = len(result) == 1
    asked = f"Why {'trial' if one else 'trials'} {spans(result.trials)}?"
    through = listed([criterion(subject) for subject in subjects], _MOST_CRITERIA)
    assumed = [e.subject.assumed for e in result.explanations]
    seen = "it" if one else "them"
    if all(assumed):
        return f"{asked} As {through} would have seen {seen} (assumed)"
    if any(assumed):
        return f"{asked} Through {through} (partly assumed)"
    return f"{asked} As {subjects[0].optimizer} saw {seen}: {through}"


def y_label(*, shares: bool) -> str:
    """Return the label of the axis of contributions, or of shares of them."""
    what = "share of all contributions to the proposal" if shares else "contribution"
    return f"{what}: up is more desirable"


def footer(result: DesirabilityPath, *, shares: bool) -> str:
    """Say what the ribbon is, and what is not drawn."""
    unknown = sum(e.standard_error is None for e in result.explanations)
    if unknown == len(result):
        text = "No intervals: they are not known."
    else:
        text = (
            "Ribbon: 95 % interval of averaging over the background; it is not the model's "
            "uncertainty."
        )
        if unknown:
            text += f" It is not known for {counted(unknown, 'proposal')}."
    if shares:
        text += (
            " Criteria have different units, so contributions are divided by the sum of the "
            "proposal's absolute contributions."
        )
    if any(not e.active.all() for e in result.explanations):
        text += " A line is broken where the hyperparameter is inactive."
    return text + as_sentences(n for n in result.notes if n.kind == "proposals_left_out")


def without_panel(smaller: list[str], never: list[str]) -> str:
    """Say which hyperparameters have no panel, with names as they are shown."""
    text = plots.smaller(smaller, "without a panel")
    if never:
        text += f" Inactive in every proposal: {listed(never, _MOST_NAMED)}."
    return text


def as_sentences(notes: Iterable[Fact]) -> str:
    """Return notes as sentences that follow others."""
    texts = [str(note) for note in notes]
    return "".join(f" {text[0].upper()}{text[1:]}." for text in texts)


# ---------------------------------------------------------------------- the plot of payouts

PAYOUTS_SUBTITLE = "The payout is what the hyperparameters' contributions add up to."
PAYOUTS_LABEL = "utility: up is more desirable"
PROPOSAL, AVERAGE, PAYOUT = "the proposal", "average configuration", "payout"


def payouts_heading(result: DesirabilityPath, criteria: list[str]) -> str:
    """Return the heading of the plot of payouts, with the criteria as they are shown."""
    return f"Payouts of {counted(len(result), 'proposal')} by {', '.join(criteria)}"


def payouts_footer(result: DesirabilityPath) -> str:
    """Say what payouts are measured against."""
    text = "Each panel has its own scale."
    sizes = {e.background_size for e in result.explanations} - {0}
    if sizes:
        smallest, largest = min(sizes), max(sizes)
        size = str(largest) if smallest == largest else f"{smallest} to {largest}"
        text += f" The average is over a background of {size} configurations."
    if len(result.acquisitions) > 1:
        text += " Lines are broken where another criterion proposed."
    return text


# ---------------------------------------------------------------------- the plot of predictions

OTHER_TRIALS, EXPLAINED, BEST = "other trials", "explained proposals", "best so far"
PREDICTED, PREDICTED_STD = "predicted mean", "± predicted std"


def diverged_at(bound: float) -> str:
    """Return the label of diverged trials, which are drawn at the bound."""
    return f"diverged, shown at {number(bound)}"


def predictions_heading(result: DesirabilityPath, subject: Subject) -> str:
    """Return the heading of the plot of predictions, for a subject as it is shown."""
    proposals = counted(len(result), "proposal")
    return f"Predicted and observed {subject.objective_name} of {proposals}"


def direction(subject: Subject) -> str:
    """Say which way the objective is better."""
    return f"{'lower' if subject.direction == 'minimize' else 'higher'} is better"


def predictions_footer(result: DesirabilityPath) -> str:
    """Say whose predictions they are."""
    unknown = sum(e.objective_prediction is None for e in result.explanations)
    if unknown == len(result):
        return "Nothing was predicted: the criterion has no surrogate of the objective."
    text = (
        "Predictions are those of each proposal's own iteration, before its trial was known; std "
        "is that of the function, observation noise is excluded."
    )
    if unknown:
        text += f" None is known for {counted(unknown, 'proposal')}."
    return text

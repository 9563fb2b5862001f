"""Explanations of a proposal in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base.claim import Claim
from hpo_explain.base.errors import Option, Text
from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.base.phrases import counted, join_words, spans
from hpo_explain.base.subject import Subject
from hpo_explain.explanations.proposal import ProposalExplanation
from hpo_explain.wording._registry import add_facts, sentence_of
from hpo_explain.wording.numbers import format_value, number, signed
from hpo_explain.wording.plots import MODEL_BARS, background_whiskers
from hpo_explain.wording.subject import INACTIVE, NEXT, NOT_CHOSEN, configuration

# ---------------------------------------------------------------------- facts

_PLACES = {
    "global": " from the whole space",
    "local": " close to it",
    "hybrid": ", half of them close to it",
    "candidates": ", drawn as the optimizer draws its candidates",
}
_LEFT_OUT = {
    "too_little_known": "fewer than two trials were finished before",
    "constant_until_then": "the objective was constant until then",
    "too_large_to_learn": "the objective was too large to be learned until then",
    "changed_by_person": "a person changed what was proposed",
}

_ORIGINS = {
    Origin.INITIAL: "it belongs to the initial design",
    Origin.ENQUEUED: "it was enqueued",
    Origin.RETRIED: "it repeats a trial that failed",
    Origin.ADDED: "it was added with its result",
    Origin.PERSON: "a person changed it",
    Origin.UNKNOWN: "it belongs to the initial design, or was set by hand",
}


def _model_learned_later(fact: Fact) -> str:
    of = f"trial {fact['at']} itself" if fact["at"] in fact.trials else "trials"
    others = sum(t != fact["at"] for t in fact.trials)
    later = f"{counted(others, 'trial')} not finished by then" if others else ""
    seen = " and ".join([of, later] if later else [of]) if of != "trials" else later
    return f"the model given has learned from {seen}, which the optimizer had not seen"


def _background_grown(fact: Fact) -> str:
    limit = "" if fact["enough"] else ", the most that are drawn"
    return (
        f"it is compared with {counted(fact['rows'], 'configuration')}{_PLACES[fact['place']]}"
        f"{limit}; averaging over them leaves an error of up to {fact['width']:.1%} of the largest "
        "contribution (95 % intervals)"
    )


def _results_not_known(fact: Fact) -> str:
    one = len(fact.trials) == 1
    count, which = counted(len(fact.trials), "trial"), spans(fact.trials)
    if fact["at"] is None:
        are, results = ("is", "its result is") if one else ("are", "their results are")
        return f"{count} {are} running now: {which}; {results} not known"
    were, results = ("was", "its result was") if one else ("were", "their results were")
    return (
        f"{count} {were} running when trial {fact['at']} was proposed: {which}; {results} not known"
    )


_NO_RESULT = {
    "running": "trial {} is running: it has no result yet",
    "waiting": "trial {} was set by hand and waits: it is explained as the next one, with what is "
    "known now",
    "failed": "trial {} failed: it has no result",
    "pruned": "trial {} was pruned: its result does not count",
}


def _no_result(fact: Fact) -> str:
    return _NO_RESULT[fact["state"]].format(fact.trials[0])


def _not_chosen(fact: Fact) -> str:
    when = "yet" if fact["state"] in ("running", "waiting") else "before it ended"
    under_way = when == "yet"
    is_, its = ("is" if under_way else "was", "its")
    if len(fact.names) > 1:
        is_, its = ("are" if under_way else "were", "their")
    return (
        f"{join_words(fact.names)} {is_} not chosen {when}; the rest is explained as the mean over "
        f"{its} values in the background"
    )


def _changed_by_person(fact: Fact) -> str:
    changes = [
        f"{name} = {_or_inactive(new)} in place of {_or_inactive(old)}"
        for name, old, new in zip(fact.names, fact["proposed"], fact["set"], strict=True)
    ]
    return (
        f"a person changed trial {fact.trials[0]} before it started, and it ran with "
        f"{join_words(changes)}; what was proposed is explained"
    )


def _or_inactive(value: object) -> str:
    return INACTIVE if value is None else format_value(value)


def _nothing_chosen(fact: Fact) -> str:
    state = {"running": "is running", "waiting": "waits to be started"}.get(
        fact["state"], "has ended"
    )
    return (
        f"trial {fact.trials[0]} {state} and has no value of any hyperparameter that is known from "
        "finished trials, so there is nothing to explain. Name another trial."
    )


def _best_not_proposed(fact: Fact) -> str:
    best, of_all = fact.trials
    return (
        f"trial {best} is the best of the proposals; the run's best trial, {of_all}, was not "
        "proposed by a model"
    )


def _no_proposals(fact: Fact) -> Text:
    trials = counted(fact["finished"], "finished trial")
    if fact["unknown"]:
        return (
            f"run has no proposal, as far as is known: it is not recorded who chose its {trials}. "
            "Where an optimizer did, name it with ",
            Option("optimizer"),
            " when the run is read, or name a trial.",
        )
    return (
        f"run has no proposal: {fact.names[0]} chose none of its {trials} by a model. Name a trial "
        "with ",
        Option("acquisition", "lcb"),
        " to see what a model would have predicted for it.",
    )


def _not_proposed(fact: Fact) -> Text:
    return (
        f"no model selected trial {fact.trials[0]}: {_ORIGINS[fact['origin']]}. Explain it with ",
        Option("acquisition", "lcb"),
        f" to see what a model would have predicted for it. Proposals: {spans(fact['proposals'])}.",
    )


def _too_little_known(fact: Fact) -> str:
    known = "only one trial" if fact["finished"] else "no trial"
    if not fact.trials:
        return f"{known} is finished, and a surrogate needs at least 2. Run more trials."
    return (
        f"{known} was finished when trial {fact.trials[0]} was proposed, and a surrogate needs at "
        "least 2. Choose a later trial."
    )


def _constant_until_then(fact: Fact) -> str:
    before, choose = "", "Run more trials"
    if fact.trials:
        before, choose = f" before trial {fact.trials[0]}", "Choose a later trial"
    return (
        f"the {fact['objective']} is constant ({fact['value']:g} in all {fact['finished']} trials "
        f"finished{before}): no hyperparameter made a difference, so there is nothing to explain. "
        f"{choose}, or check the objective."
    )


def _no_explainable_proposal(fact: Fact) -> str:
    reasons = [f"{spans(left.trials)}: {_LEFT_OUT[left['why']]}" for left in fact["left_out"]]
    return f"none of the run's proposals can be explained: {'; '.join(reasons)}. Run more trials."


def _kernel_explainer(fact: Fact) -> str:
    count = fact["players"]
    if fact["sampled"]:
        return f"KernelExplainer, sampled coalitions of {count} hyperparameters"
    return f"KernelExplainer, all {2**count} coalitions"


def _games_summed(fact: Fact) -> str:
    most = fact["most"]
    if most <= 1:
        return "exact, hyperparameter by hyperparameter"
    how = "sampled" if fact["sampled"] else "exact"
    games = counted(fact["games"], "game")
    return f"{how}, as a sum of {games} of at most {most} hyperparameters"


add_facts(
    {
        "model_learned_later": _model_learned_later,
        "model_may_have_learned": lambda fact: (
            f"the model given may have learned from trial {fact.trials[0]} itself: it does not say "
            "which trials it was fitted on"
        ),
        "background_grown": _background_grown,
        "sign_not_known": lambda fact: (
            f"the trials do not tell whether {fact.names[0]}'s value makes the objective better or "
            "worse"
        ),
        "not_by_itself": lambda fact: (
            f"by itself the value of {fact.names[0]} is {fact['times']:.2g} times as common there "
            "as by chance: its contribution holds only together with the other values"
        ),
        "may_be_chance": lambda fact: (
            f"as many good trials may have such {'a value' if len(fact.names) == 1 else 'values'} "
            f"of {join_words(fact.names)} by chance"
        ),
        "within_integration_error": lambda fact: (
            f"the contribution of {fact.names[0]} is within the error of averaging over the "
            "background"
        ),
        "background_incumbent": lambda fact: (
            f"it is compared with trial {fact.trials[0]}, the best one by then"
        ),
        "results_not_known": _results_not_known,
        "no_result": _no_result,
        "not_chosen": _not_chosen,
        "nothing_chosen": _nothing_chosen,
        "changed_by_person": _changed_by_person,
        "configuration_given": "the configuration was given: it is explained as the next one, with "
        "what is known now",
        "best_not_proposed": _best_not_proposed,
        "no_proposals": _no_proposals,
        "not_proposed": _not_proposed,
        "chooser_unknown": lambda fact: (
            f"it is not recorded that an optimizer's model chose trial {fact.trials[0]}; it is "
            "explained as if one had"
        ),
        "too_little_known": _too_little_known,
        "constant_until_then": _constant_until_then,
        "too_large_to_learn": lambda fact: (
            f"all {fact['finished']} known values of the {fact['objective']} are beyond ±1e150 and "
            "count as that, since their squares would overflow, so no hyperparameter makes a "
            "difference. Divide the objective by a constant, and read the run again."
        ),
        "proposals_left_out": lambda fact: (
            f"left out: {spans(fact.trials)}: {_LEFT_OUT[fact['why']]}"
        ),
        "no_explainable_proposal": _no_explainable_proposal,
        # how coalitions were valued
        "no_players": "no hyperparameter can matter here",
        "coalitions_exact": lambda fact: f"exact, all {fact['coalitions']} coalitions",
        "leaves_exact": "exact, from the leaves of the trees",
        "kernel_explainer": _kernel_explainer,
        "games_summed": _games_summed,
        "orders_walked": lambda fact: f"sampled orders of {fact['players']} hyperparameters",
        "orders_sampled": lambda fact: (
            f"sampling, {fact['orders']} draws of a background row and an order"
        ),
    }
)

# ---------------------------------------------------------------------- the sentence

# what a contribution says about a value, by term and whether it raises the utility
_REASONS = {
    ("mean", True): ("promises", "promise", "a better {objective}"),
    ("mean", False): ("promises", "promise", "a worse {objective}"),
    ("uncertainty", True): ("leads", "lead", "where the model is unsure"),
    ("uncertainty", False): ("leads", "lead", "where the model is already certain"),
    ("exploitation", True): ("promises", "promise", "a better {objective}"),
    ("exploitation", False): ("promises", "promise", "a worse {objective}"),
    ("exploration", True): ("leads", "lead", "where the model is unsure"),
    ("exploration", False): ("leads", "lead", "where the model is already certain"),
    ("noise", True): ("leads", "lead", "where results scatter less"),
    ("noise", False): ("leads", "lead", "where results scatter more"),
    ("good", True): ("is", "are", "common among good trials"),
    ("good", False): ("is", "are", "rare among good trials"),
    ("bad", True): ("is", "are", "rare among the other trials"),
    ("bad", False): ("is", "are", "common among the other trials"),
}
_OTHER_REASONS = {True: ("raises", "raise", "the {term}"), False: ("lowers", "lower", "the {term}")}


@sentence_of(ProposalExplanation)
def sentence(result: ProposalExplanation) -> str:
    """Say why the configuration was proposed, and whose acquisition function it is."""
    about = result.subject
    start = _found(about)
    if result.not_chosen:
        start += ", as far as it is chosen,"
    claims = [claim for claim in result.claims if claim.kind in ("reason", "counter_reason")]
    if not claims:
        return f"{start} no better and no worse than an average configuration."
    attractive = result.payout["total"] >= 0
    text = f"{start} {'attractive' if attractive else 'unattractive'}"
    certain, unsure = (
        [claim for claim in claims if claim.kind == "reason" and claim.certain is told]
        for told in (True, False)
    )
    if certain:
        text += f" mainly because {', and '.join(_clauses(certain, about))}"
    against = f"{'against' if attractive else 'for'} it"
    for claim in claims:
        if claim.kind == "counter_reason" and claim.certain:
            text += f"; {_setting(claim)} speaks {against}"
    doubts = _clauses(unsure, about)
    doubts += [
        f"{_setting(claim)} speaks {against}"
        for claim in claims
        if claim.kind == "counter_reason" and not claim.certain
    ]
    if doubts:
        text += f"; it cannot be told whether {', or whether '.join(doubts)}"
    return f"{text}."


def doubts(result: ProposalExplanation) -> str:
    """Say why reasons are not certain; empty where all are."""
    reasons = [why for claim in result.claims if not claim.certain for why in claim.because]
    by_chance = [why.names[0] for why in reasons if why.kind == "may_be_chance"]
    said = [str(why) for why in reasons if why.kind != "may_be_chance"]
    if by_chance:
        said.append(str(fact("may_be_chance", names=by_chance)))
    return f"This is not certain: {'; '.join(dict.fromkeys(said))}." if said else ""


def _found(about: Subject) -> str:
    """Return whose acquisition function found the configuration so, or would find it as the next.

    A capital letter stands first only where no name does.
    """
    looked, what = criterion(about), configuration(about)
    if about.assumed:
        found = "would find" if about.state in NEXT else "would have found"
        return f"{looked[0].upper()}{looked[1:]} {found} {what}"
    found = "would now find" if about.state in NEXT else "found"
    return f"{about.optimizer} ({looked}) {found} {what}"


def _clauses(reasons: Sequence[Claim], subject: Subject) -> list[str]:
    """Return "a = 1 and b = 2 promise ..." and "c = 3 leads ...": one clause per reason."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for claim in reasons:
        groups.setdefault((claim.term, claim.estimate > 0), []).append(_setting(claim))
    clauses = []
    for (term, better), settings in groups.items():
        singular, plural, rest = _REASONS.get((term, better), _OTHER_REASONS[better])
        words = rest.format(objective=subject.objective_name, term=term)
        clauses.append(
            f"{join_words(settings)} {singular if len(settings) == 1 else plural} {words}"
        )
    return clauses


def _setting(claim: Claim) -> str:
    shown = format_value(claim.values[0]) if claim.values else INACTIVE
    return f"{claim.hyperparameters[0]} = {shown}"


def criterion(subject: Subject) -> str:
    """Return model and acquisition function: "a GP with LCB (κ = 1.96)"."""
    if not subject.model:
        return subject.acquisition
    return f"{subject.model} with {subject.acquisition}"


def value(result: ProposalExplanation, j: int) -> str:
    """Return a proposed value in words; "inactive" or "not chosen" where there is none."""
    name = result.names[j]
    return format_value(result.config[name]) if name in result.config else absent(result, name)


def absent(result: ProposalExplanation, name: str) -> str:
    """Return why a hyperparameter has no value: "inactive" or "not chosen"."""
    return NOT_CHOSEN if name in result.not_chosen else INACTIVE


# ---------------------------------------------------------------------- the plot

TOTAL = "total"


def others(count: int) -> str:
    """Return the label of the sum of smaller contributions."""
    return f"{count} others (sum)"


def inactive(count: int) -> str:
    """Return the label of several inactive hyperparameters."""
    return f"{count} {INACTIVE}"


def heading(subject: Subject) -> str:
    """Return the plot's heading: whose acquisition function it is."""
    asked = f"Why {configuration(subject)}?"
    if subject.state in NEXT:
        asked = f"Why {configuration(subject)} next, or why not?"
    if subject.assumed:
        would = "would see" if subject.state in NEXT else "would have seen"
        return f"{asked} As {criterion(subject)} {would} it (assumed)"
    sees = "sees" if subject.state in NEXT else "saw"
    return f"{asked} As {subject.optimizer} {sees} it: {criterion(subject)}"


def subtitle(result: ProposalExplanation, subject: Subject, terms: Sequence[str]) -> str:
    """Return payout and prediction, with names and terms as they are shown."""
    payout = result.payout
    scale = max(abs(payout[name]) for name in ("total", *result.terms))
    text = f"payout {signed(payout['total'], scale)}"
    if len(terms) > 1:
        parts = zip(terms, result.terms, strict=True)
        text += " = " + ", ".join(f"{shown} {signed(payout[term], scale)}" for shown, term in parts)
    here, on_average = result.objective_prediction, result.objective_baseline
    if here is not None and on_average is not None:
        better = "lower" if subject.direction == "minimize" else "higher"
        gap = here["mean"] - on_average["mean"]
        text += (
            f"\npredicted {subject.objective_name} {number(here['mean'], 3, apart=gap)} ± "
            f"{number(here['std'], 2)}, on average {number(on_average['mean'], 3, apart=gap)} "
            f"({better} is better)"
        )
    return text


def label(subject: Subject) -> str:
    """Return the label of the axis of contributions."""
    return f"contribution to {subject.acquisition}: right is more desirable"


def footer(result: ProposalExplanation, *, folded: bool) -> str:
    """Say what the whiskers are, and what contributions miss of the payout."""
    known = result.standard_error is not None
    text = background_whiskers(result.background_size, known=known)
    if result.model_std is not None:
        text += f" {MODEL_BARS}"
    if known and folded:
        text += " None is known for a sum."
    gap, scale = result.efficiency_gap["total"], abs(result.payout["total"])
    if abs(gap) > 1e-6 * max(scale, float(np.abs(result.total).max(initial=0.0))):
        text += f" The contributions miss {signed(gap, max(scale, abs(gap)))} of the payout."
    return text

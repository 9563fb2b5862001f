"""What must be true of all answers about one run together; each rule yields what breaks it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import hpo_explain as hx
from hpo_explain.methods.importance.most import TOLD
from tests.contradictions.answers import ROUNDING, Answers, facts_of, has, holds
from tests.contradictions.doors import differing

ROUNDED = 0.005  # of a probability: as it is told
Rule = Callable[[Answers], Iterator[str]]


# ---------------------------------------------------------------------- one number a fact


def one_number_a_fact(answers: Answers) -> Iterator[str]:
    """Whatever is told of one thing is one number, whoever tells it."""
    yield from differing(answers.told, float(np.ptp(answers.run.objective)))


def nothing_improbable_is_told(answers: Answers) -> Iterator[str]:
    """What holds with less than 5 % is not told, nor that it is not certain."""
    for who, claim in answers.claims():
        for fact in facts_of(claim.because, "share_not_settled"):
            if claim.text and fact["probability"] < TOLD:
                yield f"{who}: {claim.text} {fact}"


def what_certainly_differs_differs_in_its_interval(answers: Answers) -> Iterator[str]:
    """What is told as certain lies on one side in what is shown beside it."""
    for who, claim in answers.claims():
        if claim.kind not in ("difference", "contribution"):
            continue
        if not claim.certain or claim.interval is None:
            continue
        low, high = claim.interval
        if low < 0.0 < high and claim.side == "above":
            yield f"{who} {claim.kind}: certain, {claim.interval}"


# ---------------------------------------------------------------------- the trial to keep


def one_trial_is_to_be_kept(answers: Answers) -> Iterator[str]:
    """The trial to keep is one, whoever names it."""
    trial = answers.optimum.keep
    for action in answers.actions("keep"):
        if action.trials != (trial,):
            yield f"advise keeps {action.trials}, optimum {trial}"
    predicted = answers.best_predicted
    is_proposal = trial in (answers.run.proposals or ())
    if predicted is not None and is_proposal and predicted != trial:
        yield f"best predicted is {predicted}, to be kept {trial}"


def why_it_is_not_the_best_observed_one(answers: Answers) -> Iterator[str]:
    """Where another trial was observed to be best, a clause says why that is not kept."""
    if answers.same_as_observed:
        return
    (kept,) = answers.actions("keep")
    told = {
        "summary": answers.summary.claims[0].because,
        "optimum": [fact for claim in answers.optimum.claims for fact in claim.because],
        "advise": kept.evidence,
    }
    trials = {answers.optimum.keep, answers.run.incumbent_trial}
    for who, facts in told.items():
        why = facts_of(facts, "not_the_best_observed")
        if not any(trials == set(fact.trials) for fact in why):
            yield f"{who} does not say why {trials} differ"


def nothing_near_is_expected_to_be_worse_than_it(answers: Answers) -> Iterator[str]:
    """What is expected to be best near the trials is as good as the trial to keep."""
    sign = 1.0 if answers.run.direction == "minimize" else -1.0
    for action in answers.actions("keep"):
        (fact,) = facts_of(action.evidence, "mean")
        worse = sign * (answers.optimum.estimate - fact["mean"])
        if worse > 1e-6 * max(1.0, abs(fact["mean"])):
            yield f"{answers.optimum.estimate} where {fact['mean']} is kept"


# ---------------------------------------------------------------------- the box


def the_box_holds_what_is_kept_and_tried(answers: Answers) -> Iterator[str]:
    """The box holds the trial to keep, what is best near it, and what is tried or repeated.

    What is tried may lie outside where that is said.
    """
    box, run = answers.space.space, answers.run
    if not holds(box, run.config(answers.optimum.keep)):
        yield f"trial to keep, {answers.optimum.keep}"
    if not holds(answers.advice.space, run.config(answers.optimum.keep)):
        yield f"trial to keep, {answers.optimum.keep}, of advise"
    if not holds(box, answers.optimum.config):
        yield f"optimum, {dict(answers.optimum.config)}"
    for action in answers.actions("try", "repeat"):
        outside = [c for c in action.configurations if not holds(box, c)]
        said = facts_of(action.evidence, "a look outside of the recommended space")
        if outside and not said:
            yield f"{action.kind}, {dict(outside[0])}"
        if not outside and said:
            yield f"{action.kind} is said to lie outside"


def what_is_narrowed_is_the_box(answers: Answers) -> Iterator[str]:
    """Advice narrows no other hyperparameter than the box does, and gives up no value of it."""
    space, where = answers.space, answers.summary.claims[2]
    narrowed = {row.hyperparameter for row in space.narrowed}
    told = set(where.hyperparameters) if narrowed else set()
    if told != narrowed:
        yield f"summary narrows {told}, recommended space {narrowed}"
    for action in answers.actions("narrow"):
        for parameter in action.parameters:
            name = parameter.name
            if name not in narrowed:
                yield f"advise narrows {name}, which is kept"
            elif name in space.space.names:
                for value in _ends(space.space[name]):
                    if not has(parameter, value):
                        yield f"advise gives {name} = {value} up"


def no_end_is_widened_that_is_given_up(answers: Answers) -> Iterator[str]:
    """Where a range is widened, the box has the end beyond which it is better."""
    whole, box = answers.run.space, answers.space.space
    for action in answers.actions("widen"):
        for new in action.parameters:
            old = whole[new.name]
            ends = [old.low] if new.low < old.low else [old.high]
            if new.name not in box.names or not has(box[new.name], *ends):
                yield f"{new.name} is widened beyond {ends[0]}"


def what_fails_is_not_recommended(answers: Answers) -> Iterator[str]:
    """No value is in the box of which advice says that every trial with it fails."""
    for action in answers.actions("beware"):
        for left in action.parameters:
            if left.name in answers.space.space.names:
                part = answers.space.space[left.name]
                given_up = [value for value in _ends(part) if not has(left, value)]
                if given_up:
                    yield f"{left.name}: {given_up}"


def what_was_never_tried_is_not_given_up(answers: Answers) -> Iterator[str]:
    """A category is in the box if advice says that it should be tried."""
    box = answers.space.space
    for action in answers.actions("beware"):
        if facts_of(action.evidence, "category_never_tried"):
            pairs = zip(action.hyperparameters, action.values, strict=True)
            for name, value in pairs:
                if name not in box.names or not has(box[name], value):
                    yield f"{name} = {value}"


def _ends(parameter: Any) -> list[Any]:
    if isinstance(parameter, hx.CategoricalParameter):
        return [*parameter.choices]
    return [parameter.low, parameter.high]


# ---------------------------------------------------------------------- what is left to gain


def one_loss_counts(answers: Answers) -> Iterator[str]:
    """What counts as better, what may be lost and what advice weighs is one number."""
    epsilon = answers.optimum.epsilon
    told = {"recommended space": answers.space.lose}
    for action in answers.advice.actions:
        for fact in action.evidence:
            values = dict(fact.values)
            for name in {"enough", "lose"} & set(values):
                told[f"{fact.kind} of advise"] = values[name]
    for who, value in told.items():
        if not math.isclose(value, epsilon, rel_tol=ROUNDING):
            yield f"{who}: {value}, optimum: {epsilon}"


def no_stop_where_something_better_is_probable(answers: Answers) -> Iterator[str]:
    """Nobody says to stop, or that all is done, where something better is probable."""
    if answers.p_better > 0.1 and answers.actions("stop"):
        yield f"stop at P = {answers.p_better:.2f}"


def no_part_is_more_probable_than_the_whole(answers: Answers) -> Iterator[str]:
    """That one configuration is better by what counts implies that something is."""
    most = answers.p_better + ROUNDED
    for action in answers.actions("try", "repeat"):
        if action.probability > most:
            yield f"{action.kind}: {action.probability:.2f} > {most:.2f}"
    for action in answers.actions("keep"):
        if 1.0 - action.probability > most:
            yield f"tried: {1.0 - action.probability:.2f} > {most:.2f}"
    if answers.optimum.gained.probability > most:
        yield f"more trials: {answers.optimum.gained.probability:.2f}"
    if answers.optimum.improved.probability > most:
        yield f"near trials: {answers.optimum.improved.probability:.2f}"


def nobody_gains_more_than_is_left(answers: Answers) -> Iterator[str]:
    """What configurations are expected to gain is within what something better may gain."""
    most = answers.optimum.better.interval[1] * (1.0 + ROUNDING)
    for action in answers.actions("try", "repeat"):
        if action.gain > most:
            yield f"{action.kind}: {action.gain:.3g} > {most:.3g}"
    if answers.optimum.expected_gain > most:
        yield f"more trials: {answers.optimum.expected_gain:.3g} > {most:.3g}"


# ---------------------------------------------------------------------- trust, shares


def poor_trust_is_said_where_a_box_is(answers: Answers) -> Iterator[str]:
    """Where little is known of the objective, who gives up values says so."""
    if answers.trust.level != "poor" or not answers.space.narrowed:
        return
    told = {
        "recommended space": answers.space.claims[0].because,
        "summary": answers.summary.claims[2].because,
    }
    for action in answers.actions("narrow"):
        told["advise"] = action.evidence
    for who, facts in told.items():
        if not facts_of(facts, "trust_is_poor"):
            yield f"{who} narrows, and trust is poor"


def what_matters_most_matters_most(answers: Answers) -> Iterator[str]:
    """No single hyperparameter is said to matter most where another explains more.

    What it takes part in counts, and where a pair explains more than it does alone, that is named.
    """
    claim, shares = answers.summary.claims[1], answers.importance
    if not claim.hyperparameters:
        return
    name, *alike = claim.hyperparameters
    largest = max(map(shares.share, shares.names))
    if claim.estimate < largest - ROUNDING:
        yield f"{name} explains {claim.estimate:.2f}, another {largest:.2f}"
    if alike:  # several matter about equally: no pair is named
        return
    with_it = {other: shares.share(name, other) for other in shares.names if other != name}
    other = max(with_it, key=with_it.__getitem__, default=name)
    if with_it.get(other, 0.0) <= shares.share(name):
        return
    told = {"importance": shares.claims[0], "summary": claim}
    for who, one in told.items():
        pairs = facts_of(one.because, "matters_in_a_pair")
        if not any(set(fact.names) == {name, other} for fact in pairs):
            yield f"{who} names {name}, not {other}"


def no_share_exceeds_the_whole(answers: Answers) -> Iterator[str]:
    """Shares and probabilities lie between 0 and 1, with all that is said of them."""
    for who, claim in answers.claims():
        if claim.kind == "share" and who != "RunTrust":
            ends = [claim.estimate, *(claim.interval or ())]
            if not all(-ROUNDING <= end <= 1.0 + ROUNDING for end in ends):
                yield f"{who}: {ends}"
        if claim.probability < 0.0 or claim.probability > 1.0:
            yield f"{who}: probability {claim.probability}"


def every_estimate_lies_in_its_interval(answers: Answers) -> Iterator[str]:
    """An estimate lies in its interval."""
    for who, claim in answers.claims():
        if claim.interval is None or np.isnan(claim.estimate):
            continue
        low, high = claim.interval
        slack = ROUNDING * (abs(low) + abs(high))
        if not low - slack <= claim.estimate <= high + slack:
            yield f"{who} {claim.kind}: {claim.estimate}, {claim.interval}"


def nothing_leaves_the_bounds(answers: Answers) -> Iterator[str]:
    """What an objective is expected to be lies in its natural range."""
    run, optimum = answers.run, answers.optimum
    if run.bounds is None:
        return
    low, high = run.bounds
    slack = ROUNDING * (abs(low) + abs(high))
    values = [optimum.estimate, *optimum.interval]
    for action in answers.actions("keep"):
        values += [fact["mean"] for fact in facts_of(action.evidence, "mean")]
    for value in values:
        if not low - slack <= value <= high + slack:
            yield f"{value} beyond {run.bounds}"


def every_trial_exists(answers: Answers) -> Iterator[str]:
    """A trial that is named exists."""
    run = answers.run
    exist = {*np.asarray(run.trials).tolist(), *run.excluded, *run.without_result}
    named = {answers.optimum.keep, answers.optimum.incumbent_trial}
    for fact in answers.facts():
        named.update(fact.trials)
    for action in answers.advice.actions:
        named.update(action.trials)
    for trial in sorted(named - exist):
        yield f"trial {trial}"


RULES: tuple[Rule, ...] = (
    one_number_a_fact,
    nothing_improbable_is_told,
    what_certainly_differs_differs_in_its_interval,
    one_trial_is_to_be_kept,
    why_it_is_not_the_best_observed_one,
    nothing_near_is_expected_to_be_worse_than_it,
    the_box_holds_what_is_kept_and_tried,
    what_is_narrowed_is_the_box,
    no_end_is_widened_that_is_given_up,
    what_fails_is_not_recommended,
    what_was_never_tried_is_not_given_up,
    one_loss_counts,
    no_stop_where_something_better_is_probable,
    no_part_is_more_probable_than_the_whole,
    nobody_gains_more_than_is_left,
    poor_trust_is_said_where_a_box_is,
    what_matters_most_matters_most,
    no_share_exceeds_the_whole,
    every_estimate_lies_in_its_interval,
    nothing_leaves_the_bounds,
    every_trial_exists,
)


def contradictions(answers: Answers) -> list[tuple[str, str]]:
    """Return what contradicts each other in the answers about a run: rule, and what breaks it."""
    return [(rule.__name__, said) for rule in RULES for said in rule(answers)]

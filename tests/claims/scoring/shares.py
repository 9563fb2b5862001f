"""Shares of variance: importance, mains, interactions."""

from __future__ import annotations

from collections import Counter

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement, inside

ERROR = 0.01  # of the true shares themselves
NOTHING = 0.005  # shares of less are none
WORTH = 0.05  # an oracle names shares of more
MOST = 3


def share(case: Case, claim: Claim) -> Judgement:
    """Of one hyperparameter, of a pair, or of all alone; of other games the truth is not known."""
    if case.method not in ("importance", "h_statistic"):
        return UNDECIDED
    if claim.term:
        return mains(case, claim)
    if claim.side == "below":
        return no_interaction(case, claim)
    return (importance if len(claim.hyperparameters) == 1 else interaction)(case, claim)


def importance(case: Case, claim: Claim) -> Judgement:
    """The true share lies in the interval; without one, the first is the first in truth, too."""
    share = true_share(case, claim.hyperparameters)
    covered = inside(claim.interval, share, ERROR)
    text = f"share {share:.3f}"
    if covered is not None:
        return Judgement(covered, text, covered)
    if claim is not case.result.claims[0]:
        return Judgement(None, text)
    largest = max(true_share(case, (name,)) for name in case.problem.space.names)
    return Judgement(share >= largest - ERROR and share > NOTHING, text)


def mains(case: Case, claim: Claim) -> Judgement:
    """The sum of the true main effects lies in the interval."""
    share = sum(case.problem.shares[name,] for name in claim.hyperparameters)
    covered = inside(claim.interval, share, 2 * ERROR)
    return Judgement(covered, f"share {share:.3f}", covered)


def interaction(case: Case, claim: Claim) -> Judgement:
    """There is an interaction, and its true strength lies in the interval."""
    strength = share = pair_share(case, claim.hyperparameters)
    if case.method == "h_statistic":
        strength = true_h(case, claim.hyperparameters)
    covered = inside(claim.interval, strength, 2 * ERROR)
    return Judgement(share > NOTHING and covered is not False, f"strength {strength:.3f}", covered)


def no_interaction(case: Case, claim: Claim) -> Judgement:
    """No pair interacts: those of one hyperparameter where it is about one."""
    about = claim.hyperparameters
    largest = max(
        share
        for pair, share in case.problem.shares.items()
        if len(pair) == 2 and (set(pair) <= set(about) or (len(about) == 1 and about[0] in pair))
    )
    return Judgement(largest <= ERROR, f"largest {largest:.3f}")


def true_share(case: Case, names: tuple[str, ...]) -> float:
    """The true share of one hyperparameter or set of them, as the method defines it."""
    if case.method == "local_importance":
        return float(local_shares(case)[[case.problem.space.index(n) for n in names]].sum())
    if case.method == "subspace":
        return case.problem.closed(*names)
    return case.problem.shares[names] if len(names) == 1 else pair_share(case, names)


def pair_share(case: Case, names: tuple[str, ...]) -> float:
    """The true share of the interaction of a pair."""
    a, b = sorted(names, key=case.problem.space.index)
    return case.problem.shares[a, b]


def true_h(case: Case, names: tuple[str, ...]) -> float:
    """Friedman's H of a pair: from the shares, since the measure is a product."""
    shares = case.problem.shares
    alone = shares[names[0],] + shares[names[1],]
    both = pair_share(case, names)
    return float(np.sqrt(both / (alone + both))) if alone + both > NOTHING else 0.0


def local_variances(case: Case) -> np.ndarray:
    """The true variance along each hyperparameter from the explained configuration, (d,).

    What another value switches on is averaged over.
    """
    problem = case.problem
    x = case.latent(case.result.config)  # type: ignore[attr-defined]
    found = np.zeros(case.d)
    others = problem.points[:256]
    for j, parameter in enumerate(problem.space.parameters):
        if np.isnan(x[j]):
            continue
        n = len(parameter.choices) if isinstance(parameter, hx.CategoricalParameter) else 64
        averages = []
        for value in (np.arange(n) + 0.5) / n:
            moved = np.where(np.isnan(x), others, x)
            moved[:, j] = value
            averages.append(problem.at(moved).mean())
        found[j] = np.var(averages)
    return found


def local_shares(case: Case) -> np.ndarray:
    """The true shares of the variance around the explained configuration, (d,)."""
    variances = local_variances(case)
    whole = variances.sum()
    return variances / whole if whole > 0.0 else variances


def could(case: Case) -> Counter[str]:
    """What an oracle could claim by this method."""
    problem = case.problem
    if problem.constant or not case.explored:
        return Counter()
    if case.method == "importance":
        largest = sorted(problem.shares.items(), key=lambda item: -item[1])[:MOST]
        named = [names for names, share in largest if share >= WORTH]
        return Counter(share=len(named) + 1)
    if case.method == "subspace":
        return Counter(importance=1)
    if case.method == "h_statistic":
        return Counter(share=1)
    shares, named_share, n = np.sort(local_shares(case))[::-1], 0.0, 0
    while n < MOST and n < len(shares) and shares[n] >= WORTH and named_share < 0.75:
        named_share += shares[n]
        n += 1
    return Counter(share=n)

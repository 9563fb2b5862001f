"""Effects along a hyperparameter: where it is best, where flat, where the effect is known."""

from __future__ import annotations

from collections import Counter

import numpy as np

import hpo_explain as hx
from hpo_explain.base.claim import Claim
from tests.claims.scoring.case import UNDECIDED, Case, Judgement, inside

LOSS = 0.05  # of an effect's range: a value that loses no more is one of the best
SMALL = 0.03  # of the signal's standard deviation: an effect whose range is smaller is flat
LEAST = 0.01  # of the signal's standard deviation: differences of less are none
FLAT = 0.01  # of the signal's variance
DIFFERS = ("best", "difference")
WHOLE = 0.9  # of a range: nothing is said by claiming so much


def best(case: Case, claim: Claim) -> Judgement:
    """A best value of the true effect lies in the range, or the named value loses next to nothing.

    The effect is the average over all others, or the best attainable where the claim is about that.
    Where there is no effect, only nearly all of the range is right.
    """
    if len(claim.hyperparameters) != 1:
        return UNDECIDED
    (name,) = claim.hyperparameters
    grid, costs = effect(case, name, claim.term)
    spread = float(np.nanmax(costs) - np.nanmin(costs))
    ranges = list(case.positions(name, claim.values[0]))
    if spread <= SMALL * case.problem.scale:
        return Judgement(_covered(case, name, ranges) >= WHOLE, "flat")
    least = min(least_between(grid, costs, low, high) for low, high in ranges)
    loss = (least - float(np.nanmin(costs))) / spread
    parameter = case.problem.space.parameters[case.problem.space.index(name)]
    at = grid[int(np.nanargmin(costs))]
    value = (
        parameter.choices[int(at)]
        if isinstance(parameter, hx.CategoricalParameter)
        else round(at, 2)
    )
    (low, high), *more = ranges
    covered = None
    if low == high and not more and not claim.term:
        covered = inside(claim.interval, least)
    return Judgement(loss <= LOSS, f"best at {value}, loss {loss:.2f} of the range", covered)


def difference(case: Case, claim: Claim) -> Judgement:
    """The true effects at both values differ, in the direction that is claimed.

    Or nowhere, where none is claimed.
    """
    if len(claim.hyperparameters) != 1:
        return UNDECIDED
    if claim.side == "below":
        return _flat(case, claim)
    (name,) = claim.hyperparameters
    grid, costs = effect(case, name, claim.term)
    first, second = (
        float(np.interp(next(case.positions(name, value))[0], grid, costs))
        for value in claim.values[0]
    )
    true = first - second
    right = true * claim.estimate > 0.0 and abs(true) > LEAST * case.problem.scale
    return Judgement(right, f"{true:.3g}", inside(claim.interval, true))


def _flat(case: Case, claim: Claim) -> Judgement:
    """The true effect varies by a hundredth of the signal's variance at most."""
    share = variance(case, claim.hyperparameters[0], claim.term) / case.problem.scale**2
    return Judgement(share <= FLAT, f"effect's variance {share:.3f} of all")


def region(case: Case, claim: Claim) -> Judgement:
    """The model's predictions along the hyperparameter are nearer to the truth in the region.

    As its band is: averaged over the region's configurations, and compared with all of them.
    """
    (name,) = case.result.names  # type: ignore[attr-defined]
    latent = case.problem.points[:256]
    configs = case.problem.space.decode(case.problem.rows(latent))
    member = np.array([all(c.holds(config) for c in claim.values) for config in configs])
    if member.sum() < 5:
        return UNDECIDED
    errors = _errors(case, name, latent)
    within, overall = float(np.nanmean(errors[member])), float(np.nanmean(errors))
    return Judgement(within <= overall, f"error {within:.3g} in the region, {overall:.3g} overall")


def effect(case: Case, name: str, term: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Grid and true effect of a hyperparameter."""
    if "attainable" in term:
        return case.problem.attainable(name)
    return case.problem.average_effect(name)


def variance(case: Case, name: str, term: str = "") -> float:
    """The variance of the true effect."""
    return float(np.nanvar(effect(case, name, term)[1]))


def least_between(grid: np.ndarray, costs: np.ndarray, low: float, high: float) -> float:
    """The least of an effect in a range."""
    inner = costs[(grid >= low) & (grid <= high)]
    ends = np.interp([low, high], grid, costs)
    return float(np.nanmin(np.concatenate([inner, ends])))


def _covered(case: Case, name: str, ranges: list[tuple[float, float]]) -> float:
    parameter = case.problem.space.parameters[case.problem.space.index(name)]
    if isinstance(parameter, hx.CategoricalParameter):
        return len({low for low, _ in ranges}) / len(parameter.choices)
    return sum(high - low for low, high in ranges)


def _errors(case: Case, name: str, latent: np.ndarray) -> np.ndarray:
    """Absolute errors of the predictions along a hyperparameter, by point: (n, G)."""
    j = case.problem.space.index(name)
    model, columns = case.run.surrogate(), []
    for value in case.problem.along(name)[0]:
        moved = latent.copy()
        moved[:, j] = value
        rows = case.problem.rows(moved)
        error = np.abs(model.predict(rows)[0] - case.problem.cost(rows))
        columns.append(np.where(np.isnan(rows[:, j]), np.nan, error))
    return np.stack(columns, axis=1)


def could(case: Case) -> Counter[str]:
    """What an oracle could claim of the one hyperparameter."""
    if case.method != "partial_dependence" or case.problem.constant:
        return Counter()
    (name,) = case.result.names  # type: ignore[attr-defined]
    if case.widest_gap(name) >= 0.5:
        return Counter()
    found: Counter[str] = Counter()
    for term in {claim.term for claim in case.result.claims}:
        is_flat = variance(case, name, term) <= FLAT * case.problem.scale**2
        kinds = ("difference",) if is_flat else DIFFERS
        found.update(f"{kind} {term}".strip() + " none" * is_flat for kind in kinds)
    return found

"""Whether densities of good and of other trials tell more than chance: TPE's."""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.diagnostics._skill import limit_of_rank, rank_correlation
from hpo_explain.diagnostics._trust import Trust, Verdict, level_of, limits_of
from hpo_explain.models.acquisition.protocols import Acquisition, SupportsBootstrap

_DRAWS = 40
_FEWEST = 4  # trials that a draw must leave out to count
LOWER_RANK = (0.3, 0.0)  # good from, poor below


def trust_of_densities(acquisition: Acquisition) -> Trust | None:
    """Return whether the densities that chose proposals tell good trials from others.

    Trials are drawn with replacement, good and other ones apart. The densities of those drawn rank
    those left out, and the ranks are compared with what came of them: the mean rank correlation
    over draws, with the lower 95 % limit of one over all trials. Of chance it is 0. There is no
    model of the objective to be judged beyond that.

    Parameters
    ----------
    acquisition : Acquisition
        What chose the proposals.

    Returns
    -------
    Trust, or None
        None where the acquisition function has no densities to draw again.
    """
    if not isinstance(acquisition, SupportsBootstrap):
        return None
    no_model = Verdict("unknown", (fact("unchecked_densities"),))
    reason, n = _reason(acquisition)
    nothing = float("nan")
    proposals = Verdict(reason["level"], (reason,))
    return Trust(no_model, no_model, nothing, nothing, n, "bootstrap", proposals)


def _reason(acquisition: SupportsBootstrap) -> tuple[Fact, int]:
    draws = acquisition.bootstrap(_DRAWS)
    if draws is None:
        return fact("unchecked_densities_trials", level="unknown"), 0
    n, found = draws.trials, []
    for left in draws.left:
        known = np.isfinite(left.cost)
        if known.sum() >= _FEWEST and np.ptp(left.cost[known]) > 0.0:
            found.append(rank_correlation(-left.cost[known], left.utility[known])[0])
    if not found:
        return fact("unchecked_densities_few", level="unknown"), n
    value = float(np.mean(found))
    lower = limit_of_rank(value, n)
    level = level_of(lower, LOWER_RANK)
    return (
        fact("trust_densities", value=value, lower=lower, level=level, **limits_of(LOWER_RANK)),
        n,
    )

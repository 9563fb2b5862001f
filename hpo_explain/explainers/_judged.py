"""At which proposals the trust in the models behind them is judged."""

from __future__ import annotations

import bisect
import math

from hpo_explain.run import Run

ALWAYS = 10  # known trials: with fewer each one counts
_AGAIN = 1.5  # times the trials that were known when trust was judged last


def judged_at(run: Run, number: int) -> int:
    """Return the proposal at whose model the trust in that of a proposal is judged.

    Judging takes several fits, and a few more trials hardly change it. So it is judged at the first
    proposal that knew at least 10, 15, 22.5, ... trials, and holds until the next.

    Parameters
    ----------
    run : Run
        The optimization run.
    number : int
        A proposal, or any trial; of other trials than proposals each one is judged.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, space.sample(20, seed=0), range(20), "minimize")
    >>> [judged_at(run, number) for number in (5, 10, 12, 13, 19)]
    [5, 10, 10, 10, 15]
    """
    proposals = sorted(run.proposals or ())
    known = len(run.known_before(number))
    if known < ALWAYS or number not in proposals:
        return number
    level = ALWAYS * _AGAIN ** math.floor(math.log(known / ALWAYS, _AGAIN) + 1e-9)
    earlier = proposals[: bisect.bisect_right(proposals, number)]
    first = bisect.bisect_left(earlier, level, key=lambda t: len(run.known_before(t)))
    return earlier[min(first, len(earlier) - 1)]

"""What tells the trials of a run from others, for pages that follow it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hpo_explain.run.run import Run


def state_of(runs: Mapping[str, Run]) -> str:
    """Return letters and digits that change with the trials of runs, unfinished ones included.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> import pandas as pd
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
    >>> few, more = (hx.from_frame(table[:n], objective="loss") for n in (2, 3))
    >>> state_of({"loss": few}) == state_of({"loss": few}), state_of({"loss": few}) == state_of(
    ...     {"loss": more}
    ... )
    (True, False)
    """
    read = [
        (
            name,
            str(run),
            [*map(int, run.trials)],
            run.objective.tolist(),
            run.X.tolist(),
            [*run.excluded],
            [trial.x.tolist() for trial in run.without_result.values()],
        )
        for name, run in runs.items()
    ]
    text = repr(read).encode("utf-8", "surrogatepass")
    return sha256(text).hexdigest()[:16]

"""The contributions to a proposal as one table, with the interval of their total."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from hpo_explain.explanations.proposal import ProposalExplanation


def contributions_table(result: ProposalExplanation, *, words: bool = False) -> pd.DataFrame:
    """Return one row per hyperparameter, the largest contribution first.

    Parameters
    ----------
    result : ProposalExplanation
        The explanation.
    words : bool, default False
        Whether a value is "inactive" or "not chosen" where there is none; else it is NaN there.
    """
    import pandas as pd

    from hpo_explain.wording.proposal import absent

    frame = result.contributions
    values = [
        result.config.get(name, absent(result, name) if words else nan) for name in result.names
    ]
    frame["value"] = pd.Series(values, index=frame.index, dtype=object)
    ends = result.interval()["total"]
    place = list(frame.columns).index("total") + 1
    frame.insert(place, "lower", ends["lower"])
    frame.insert(place + 1, "upper", ends["upper"])
    return frame.iloc[result.order()].reset_index()

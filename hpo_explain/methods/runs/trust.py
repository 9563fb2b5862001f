"""How well the objective of a run is known, by what its trials allow it to be."""

from __future__ import annotations

from dataclasses import replace

from hpo_explain.base import Subject
from hpo_explain.methods.runs.trust_result import RunTrust
from hpo_explain.question import Question, explains


@explains(of="surrogate", without=("kind", "surrogate"))
def trust(question: Question) -> RunTrust:
    """Say how well the objective of a run is known, in one word and its numbers.

    From draws of functions that the trials allow: the R² and the rank correlation among the best
    that their mean is expected to have, how much of the space is open, and a check on held-out
    trials. It is about the belief of the run (:meth:`Run.belief`), whatever model was given.

    Returns
    -------
    RunTrust
        The verdict ("good", "fair" or "poor") with its measures.

    Raises
    ------
    ValueError
        If fewer than two trials are finished.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.trust(table, objective="loss").n_trials
    5
    """
    belief = question.belief
    subject = replace(Subject.of(question.run), model=belief.label)
    return RunTrust(subject=subject, **vars(belief.trust))

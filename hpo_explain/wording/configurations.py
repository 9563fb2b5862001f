"""The configurations of a run in words."""

from __future__ import annotations

from hpo_explain._words import counted
from hpo_explain.run import Run


def heading(run: Run) -> str:
    """Return the plot's heading."""
    return f"Configurations of {counted(len(run), 'trial')}"


def subtitle(run: Run) -> str:
    """Return what a line is, and which way is better."""
    better = "lower" if run.direction == "minimize" else "higher"
    return (
        f"a line is a trial, the initial design included; {better} {run.objective_name} is better"
    )


def footer(*, broken: bool) -> str:
    """Say what scales the rows have, and why lines are broken."""
    text = "Each hyperparameter is on its own scale."
    return f"{text} A line is broken where the hyperparameter is inactive." if broken else text

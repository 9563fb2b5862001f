"""A run described in text: in one line, or in a few."""

from __future__ import annotations

from hpo_explain.base import Origin, counted, printable, spans
from hpo_explain.base.facts import by_reason
from hpo_explain.run.record import Record


def summary(run: Record) -> str:
    """Return a run in a line: its trials, hyperparameters, objective and optimizer."""
    return printable(
        f"{counted(len(run), 'trial')} of {counted(len(run.space), 'hyperparameter')}, "
        f"{run.objective_name} ({run.direction}), by {run.optimizer}"
    )


def describe(run: Record) -> str:
    """Return a run in a few lines: what was read, what was left out and why, what was assumed."""
    lines = [summary(run)]
    if run.feasible.any():
        best = run.objective[run.row(run.incumbent_trial)]
        shared = tied(len(run.tied), run.objective_name)
        remark = f" ({shared})" if shared else ""
        lines.append(f"best: trial {run.incumbent_trial}, {best:.6g}{remark}")
    lines.append(f"proposals: {proposals(run)}")
    for reason, numbers in by_reason(run.excluded).items():
        lines.append(f"left out: {len(numbers)} ({spans(numbers)}): {reason}")
    return "\n".join([*lines, *(f"note: {note}" for note in run.notes)])


def proposals(run: Record) -> str:
    """Say how many trials a model chose."""
    proposed = [*(run.proposals or ())]
    if run.proposes and any(run.origin(t) is Origin.MODEL for t in proposed):
        return f"{len(proposed)} (after the initial design)"
    if proposed:
        return f"none by a model; {len(proposed)} may be explained with an assumed one"
    if who_is_unknown(run):
        return "none known, as it is not recorded who chose the trials"
    return "none, as no model chose a trial"


def who_is_unknown(run: Record) -> bool:
    """Say whether nothing is recorded about who chose the trials."""
    numbers = run.trials.tolist()
    return not run.proposals and all(run.origin(t) is Origin.UNKNOWN for t in numbers)


def tied(count: int, objective: str) -> str:
    """Say how many trials share the best objective; empty where one is alone."""
    return f"{count} trials share the best {objective}; this is the first" if count > 1 else ""

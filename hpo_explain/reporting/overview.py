"""What a report was made from: the run, its best configuration, what was left out and assumed."""

from __future__ import annotations

from datetime import datetime, timezone

import numpy as np
from markupsafe import Markup

from hpo_explain.base.facts import by_reason
from hpo_explain.base.numbers import format_value
from hpo_explain.base.options import BETTER
from hpo_explain.base.phrases import spans
from hpo_explain.reporting._render import render
from hpo_explain.run import Run
from hpo_explain.run import description as words

_LONG = 300  # columns of a value


def what_was_read(run: Run) -> Markup:
    """Return what a run is, as it was read."""
    return render(
        "overview.html.j2",
        facts=_facts(run),
        best=_best(run),
        left_out=[(str(why), len(at), spans(at)) for why, at in by_reason(run.excluded).items()],
        notes=run.notes,
    )


def _facts(run: Run) -> list[tuple[str, str]]:
    better = BETTER[run.direction]
    facts = [
        ("Objective", f"{run.objective_name}; {better} is better"),
        ("Finished trials", str(len(run))),
        ("Hyperparameters", str(len(run.space))),
        ("Optimizer", run.optimizer),
        ("Proposals", words.proposals(run)),
    ]
    infeasible = np.asarray(run.trials)[~np.asarray(run.feasible)]
    if len(infeasible):
        facts.append(("Infeasible", f"{len(infeasible)} ({spans(infeasible)})"))
    if run.excluded:
        facts.append(("Left out", str(len(run.excluded))))
    if np.isfinite(run.finished).any():
        last = datetime.fromtimestamp(float(np.nanmax(run.finished)), tz=timezone.utc)
        facts.append(("Last trial finished", f"{last:%Y-%m-%d %H:%M} UTC"))
    return facts


def _best(run: Run) -> dict[str, object] | None:
    if not np.any(run.feasible):
        return None
    incumbent, trial = run.incumbent, run.incumbent_trial
    return {
        "trial": trial,
        "objective": format_value(float(run.objective[run.row(trial)])),
        "rows": [
            (name, format_value(incumbent[name], width=_LONG) if name in incumbent else None)
            for name in run.space.names
        ],
    }

"""How TPE's densities of one hyperparameter moved over a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.densities import no_densities, own_densities, shown_positions
from hpo_explain.explainers.path import proposals_of
from hpo_explain.explanations.density_path import DensityPath
from hpo_explain.methods._engines.certainty import near_good
from hpo_explain.methods._engines.explained import Explained
from hpo_explain.methods._engines.proposed import all_proposals
from hpo_explain.run import Run
from hpo_explain.space import CategoricalParameter


def density_path_of(run: Run, name: str, trials: Sequence[int] | None = None) -> DensityPath:
    """Return the densities of one hyperparameter at proposals of a run, in order.

    Raises
    ------
    NothingToExplain
        If none of the trials was chosen by densities.
    ValueError
        If there is no such hyperparameter or trial.
    """
    j = run.space.index(name)
    parameter = run.space.parameters[j]
    positions = shown_positions(parameter)
    good, bad, known, missing = [], [], [], []
    for number in all_proposals(run) if trials is None else proposals_of(run, trials):
        own = own_densities(run, number)
        if own is None:
            missing.append(number)
            continue
        ratio = own.ratio
        above, below = ratio.marginal(j, positions)
        good.append(above)
        bad.append(below)
        known.append(number)
    if not known:
        raise no_densities(run, missing[-1])
    notes = (fact("other_criterion", trials=missing),) if missing else ()
    path = DensityPath(
        subject=Explained.of(ratio).completed(Subject.of(run, assumed=False, notes=notes)),
        name=name,
        trials=tuple(known),
        values=tuple(parameter.decode(positions)),
        log=bool(getattr(parameter, "log", False)),
        categorical=isinstance(parameter, CategoricalParameter),
        good=np.array(good),
        bad=np.array(bad),
        proposed=tuple(run.config(number).get(name) for number in known),
        notes=notes,
    )
    rows = run.known_before(known[-1])
    x = np.full(len(run.space), np.nan)
    x[j] = positions[path.preferred]
    by_chance = near_good(run.space, run.X[rows], run.cost[rows], x)[j, 0]
    return replace(path, by_chance=float(by_chance))

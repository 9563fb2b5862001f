"""The report's section on effects: how the objective depends on what matters, and how surely."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hpo_explain.diagnostics import sampling_bias
from hpo_explain.explanations import PartialDependence, RegionalPartialDependence
from hpo_explain.facade import importance, partial_dependence, regional_partial_dependence
from hpo_explain.plotting import plot_partial_dependence, plot_regions
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run
from hpo_explain.wording.trust import caution

_EFFECTS = 3
_SAMPLE, _GRID = 300, 15
_DEPTH = 2


@dataclass(frozen=True)
class HowItMatters:
    """How the objective depends on the most important hyperparameters, with bands."""

    anchor: str = "effects"
    title: str = "How does it matter?"
    how_to_read: str = (
        "A line or point is the objective that the model predicts for a value, averaged over all "
        "other hyperparameters; a thin grey line is one configuration. The band says how unsure "
        "the model is: where it is hatched or a point is hollow, it is wider than the whole "
        "effect, and the differences there may not be real."
    )

    def content(self, run: Run) -> Content:
        """Return the effects of the most important hyperparameters, and regions of the first."""
        if len(run) >= 2 and np.ptp(run.objective) == 0.0:
            raise NotApplicable(
                f"The {run.objective_name} is constant ({run.objective[0]:g} in all {len(run)} "
                "trials): there is no effect to show."
            )
        try:
            names = _most_important(run)
        except ValueError as error:
            raise NotApplicable(str(error)) from error
        effects = [partial_dependence(run, name, sample=_SAMPLE, grid_size=_GRID) for name in names]
        regions = regional_partial_dependence(
            run, names[0], sample=_SAMPLE, grid_size=_GRID, max_depth=_DEPTH
        )
        body = render(
            "effects.html.j2",
            trust=caution(effects[0].trust),
            bias=sampling_bias(run).sentence,
            effects=[_effect(effect) for effect in effects],
            regions=_regions(regions) if len(regions.regions) > 1 else None,
            name=names[0],
        )
        tables = {f"effect_{i}": effect.to_frame() for i, effect in enumerate(effects, start=1)}
        return Content(effects[0].sentence, body, tables)


def _most_important(run: Run) -> list[str]:
    """Return the hyperparameters that explain most of the variance alone."""
    result = importance(run)
    shares = result.shares.mean(axis=0)
    order = np.argsort(-shares, kind="stable")[:_EFFECTS]
    return [result.names[result.members[i][0]] for i in order]


def _effect(effect: PartialDependence) -> dict[str, Any]:
    name = effect.names[0]
    better = "lower" if effect.direction == "minimize" else "higher"
    kind = "row" if effect.categorical[0] else "place on the line"
    notes = [note for note in effect.notes if "Eq." not in note]
    return {
        "name": name,
        "reading": (
            f"Read off the predicted {effect.objective_name} at each value of {name}: the best is "
            f"the {better} {kind}, as far as the band allows."
        ),
        "finding": effect.sentence.removesuffix(f" {effect.caution}"),
        "caution": effect.caution,
        "notes": notes,
        "plot": figure(
            partial(plot_partial_dependence, effect),
            alt=effect.sentence,
            caption=f"Partial dependence of the predicted {effect.objective_name} on {name}.",
        ),
    }


def _regions(result: RegionalPartialDependence) -> dict[str, Any]:
    name = result.names[0]
    return {
        "finding": result.sentence,
        "plot": figure(
            partial(plot_regions, result),
            alt=result.sentence,
            caption=f"The same effect of {name} in regions of the space in which the model is "
            "alike in how sure it is; the incumbent's region is tinted and comes first.",
        ),
    }

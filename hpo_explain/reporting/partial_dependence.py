"""The report's section on effects: how the objective depends on what matters most."""

from __future__ import annotations

from typing import Any

from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.effect_show import band_caption
from hpo_explain.methods.effects.regional_partial_dependence_result import (
    RegionalPartialDependence,
)
from hpo_explain.reporting._render import figure, render
from hpo_explain.reporting.context import Context
from hpo_explain.reporting.section import Content, Section, line

_TITLE = "How does it matter?"


def _content(context: Context) -> Content:
    effects, regions = context.effects, context.regions
    body = render(
        "partial_dependence.html.j2",
        bias=context.sampling_bias.sentence,
        effects=[_effect(context, effect) for effect in effects],
        regions=_regions(regions) if len(regions.regions) > 1 else None,
        name=regions.names[0],
    )
    tables = {
        f"effect_{i}": effect.to_frame()
        for i, effect in enumerate(effects, start=1)
    }
    return Content(effects[0].sentence, body, tables, line(effects[0]))


def _effect(context: Context, effect: Effect) -> dict[str, Any]:
    return {
        "name": effect.names[0],
        "finding": f"{effect.finding} {effect.basis}".rstrip(),
        "caution": effect.caution,
        "notes": [note for note in effect.notes if note.kind != "effect_band"],
        "plot": context.figure_once(
            f"effect of {effect.names}",
            _TITLE,
            lambda: figure(
                effect, alt=effect.sentence, caption=_caption(effect)
            ),
        ),
        "along": _along(context.along_trials(effect.names[0])),
    }


def _along(effect: Effect | None) -> dict[str, Any] | None:
    if effect is None:
        return None
    caption = band_caption(effect)
    plot = figure(effect, alt=effect.sentence, caption=caption)
    return {"finding": effect.sentence, "plot": plot}


def _caption(effect: Effect) -> str:
    objective = effect.subject.objective_name
    return f"Partial dependence of the predicted {objective} on {effect.names[0]}."


def _regions(result: RegionalPartialDependence) -> dict[str, Any]:
    return {
        "finding": result.sentence,
        "plot": figure(
            result,
            alt=result.sentence,
            caption=f"The same effect of {result.names[0]} in regions of the space with similar "
            "uncertainty; the incumbent's region is tinted and comes first.",
        ),
    }


EFFECTS = Section(
    "effects",
    _TITLE,
    "A line or point is the objective that the model predicts for a value, averaged over all other "
    "hyperparameters; a thin grey line is one configuration. The band is what the trials allow. "
    "The dashed line (or diamonds) is what is attainable with all others at their best. "
    "Green values may be the best one. Where an effect is dimmed or a point is hollow, hardly "
    "anything was tried.",
    _content,
    folded=True,
)

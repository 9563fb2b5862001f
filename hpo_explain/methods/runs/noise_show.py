"""How the noise is drawn: along the hyperparameter it depends on most, or of all configurations."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_explain.base import ROUNDED_95, counted
from hpo_explain.base.figures import Axis, Curves, Dots, Line, View
from hpo_explain.methods.runs.noise import Noise


def noise(result: Noise) -> Curves:
    """Draw the noise along the hyperparameter it depends on most, with what was observed.

    Where the noise is the same everywhere, as far as can be told: the sample standard deviations of
    all configurations in ascending order, with the one of all together.
    """
    words: dict[str, Any] = {
        "y": Axis(label=f"standard deviation of {result.objective_name}", limits=(0.0, None)),
        "footer": "Points: sample standard deviations of "
        f"{counted(len(result.observed), 'configuration')} that were evaluated several times.",
    }
    observed = "observed, of one configuration"
    name = result.main
    if name is None:
        std, low, high = result.pooled
        rank = np.arange(1.0, len(result.observed) + 1.0)
        ends = np.array([rank[0], rank[-1]])
        half = np.array([[std - low] * 2, [high - std] * 2])
        return Curves(
            x=Axis(label="configurations, the quietest first", whole=True),
            lines=[Line(ends, np.full(2, std), half)],
            dots=[Dots(rank, np.sort(result.observed), look="others")],
            heading=f"How much the {result.objective_name} of the same configuration scatters",
            subtitle="standard deviation of one evaluation: the same everywhere, as far as can be "
            "told",
            means={"main": "all configurations, with its 95% interval", "others": observed},
            **words,
        )
    effect, here = result.effects[name], result.subject.incumbent.get(name)
    names = [str(value) for value in effect.grid] if effect.categorical[0] else ()
    x = Axis(label=name, values=effect.grid, log=effect.log[0], names=names)
    along = np.exp(effect.mean / 2.0)
    curve: Any = (Dots if names else Line)(x.places, along, ROUNDED_95 * along * effect.std / 2.0)
    marks: list[Any] = [curve] if names else []
    guide = None
    if not names:
        points = [
            (config[name], s)
            for config, s in zip(result.configurations, result.observed, strict=True)
            if name in config
        ]
        at, seen = zip(*points, strict=True)
        marks.append(Dots(x.at(at), np.array(seen), look="others"))
        guide = None if here is None else float(x.at([here])[0])
    elif here in effect.grid:
        guide = float(list(effect.grid).index(here))
    return Curves(
        x=x,
        lines=[] if names else [curve],
        dots=marks,
        guide=guide,
        heading=f"How {name} changes the noise of the {result.objective_name}",
        subtitle="standard deviation of one evaluation, on average over all other hyperparameters",
        means={"main": "predicted, with its 95% band", "others": observed, "guide": "incumbent"},
        **words,
    )


VIEWS = {
    "": View(noise, "Standard deviations of configurations that were evaluated several times.")
}

"""The figure of the scoreboard: errors of all methods by sampler, and the reliability curve."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from examples.scoreboard.measures import Score
from examples.scoreboard.methods import METHODS
from examples.scoreboard.runs import SAMPLERS
from examples.scoreboard.tables import reliability


def drawn(scores: list[Score]) -> Figure:
    """Return a column of errors for each sampler, and how often "matters most (p)" is true."""
    samplers = [s for s in SAMPLERS if any(one.setting.sampler == s for one in scores)]
    names = [name for name in METHODS if any(name in score.error for score in scores)]
    figure = Figure(figsize=(3.0 + 2.2 * (len(samplers) + 1), 4.6), layout="constrained")
    widths = [1.0] * len(samplers) + [1.3]
    *columns, last = figure.subplots(1, len(widths), width_ratios=widths)
    for axes, sampler in zip(columns, samplers, strict=True):
        for place, name in enumerate(names):
            some = [s for s in scores if s.setting.sampler == sampler and name in s.error]
            if not some:
                continue
            errors = np.array([s.error[name] for s in some])
            color = "tab:gray" if METHODS[name].rival else "tab:blue"
            sem = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else 0.0
            axes.errorbar(errors.mean(), place, xerr=1.96 * sem, fmt="o", color=color, capsize=2)
        axes.set(title=sampler, xlabel="error", xlim=(0.0, 0.8), ylim=(len(names) - 0.5, -0.5))
        axes.set_yticks(range(len(names)), names if axes is columns[0] else [""] * len(names))
        axes.grid(axis="x", alpha=0.3)
    last.plot([0, 1], [0, 1], color="tab:gray", linestyle=":")
    groups = reliability(scores)
    last.plot([g[2] for g in groups], [g[3] for g in groups], "o-", color="tab:blue")
    for _, n, stated, right in groups:
        last.annotate(
            f"{n} runs", (stated, right), (-6, -3), textcoords="offset points", size=8, ha="right"
        )
    last.set(xlim=(0, 1.05), ylim=(0, 1.05), xlabel="stated", ylabel="true")
    last.set_title('"matters most (p)"')
    return figure

"""The plot of an ablation: the greedy path from source to target, as a staircase."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes

from hpo_explain.explanations import Ablation
from hpo_explain.plotting._layout import characters, points_across
from hpo_explain.plotting._look import ink, line_mark
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._rows import row_height, row_labels, style_rows, write_rows
from hpo_explain.plotting._style import FILLS, GREY, WIDTH, new_axes, set_height
from hpo_explain.plotting._text import distinct, plain
from hpo_explain.wording import ablation as words

MOST_STEPS = 20
_ROW = 20.0  # points of a row
_BETTER, _WORSE = FILLS[0], FILLS[1]


@dataclass(frozen=True)
class _Step:
    """One stair: its label on one and on two lines, its ends, and half its gain's interval."""

    name: str
    change: str
    begin: float
    end: float
    gain: float
    half: float | None


@draws(Ablation)
def plot_ablation(result: Ablation, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw the path from source to target, one stair per step, the first on top.

    Plain stairs improve, hatched ones do not. Whiskers are the 95 % intervals of the steps'
    gains, where the model has them. More than 20 steps are folded: the last stair is the sum of
    the others.

    Parameters
    ----------
    result : Ablation
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot) as high as the steps need. Give
        a figure of your own ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: predicted objective (or acquisition) by step.

    References
    ----------
    .. [1] Fawcett, C. and Hoos, H. H. (2016). Analysing differences between algorithm
       configurations through ablation. J. Heuristics 22, 431-458. Figure 1.
       https://doi.org/10.1007/s10732-014-9275-9

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_ablation(hx.ablation(table, source=1, objective="loss")).get_xlabel()
    'predicted loss: left is better'
    """
    own = ax is None
    if ax is None:
        ax = new_axes(width)
    steps = _steps(result)
    n = len(steps)
    across = points_across(ax)
    changes = row_labels(((s.name, s.change) for s in steps), characters(0.36 * across))
    labels = distinct(["source", *changes, "target"])
    _draw_stairs(ax, steps)
    ax.plot(
        [result.values[0], result.values[-1]], [0.0, n + 1.0], "o", color=ink(), markersize=6.0,
        markeredgecolor="white", zorder=4,
    )  # fmt: skip
    style_rows(ax, labels, zero=False)
    ax.set_xlim(_limits(steps))

    high = write_rows(
        ax, heading=words.heading(result), subtitle=words.subtitle(result),
        label=words.label(result), footer=words.footer(result), legend=_legend(steps),
    )  # fmt: skip
    if own:
        set_height(ax, high + (n + 2) * row_height(labels, _ROW))
    return ax


def _steps(result: Ablation) -> list[_Step]:
    """Return the stairs in the order of the path, those that are folded as one."""
    n = len(result.steps)
    kept = n if n <= MOST_STEPS else MOST_STEPS - 1
    steps = []
    for i, names in enumerate(result.steps[:kept]):
        value = words.new_value(result, *names) if len(names) == 1 else ""
        along = f" (+ {', '.join(result.along[i])})" if result.along[i] else ""
        steps.append(
            _Step(
                plain(result.labels[i]), plain(value + along).strip(), result.values[i],
                result.values[i + 1], result.gains[i],
                None if result.halves is None else float(result.halves[i]),
            )
        )  # fmt: skip
    if kept < n:
        name, first, last = f"{n - kept} more steps (sum)", result.values[kept], result.values[-1]
        steps.append(_Step(name, "", first, last, float(result.gains[kept:].sum()), None))
    return steps


def _draw_stairs(ax: Axes, steps: list[_Step]) -> None:
    for i, step in enumerate(steps, start=1):
        fill = _BETTER if step.gain >= 0 else _WORSE
        ax.barh(
            i, step.end - step.begin, left=step.begin, height=0.62, color=fill.color,
            hatch=fill.hatch, edgecolor="white", linewidth=0.0, zorder=2,
        )  # fmt: skip
        if step.half is not None:
            ax.errorbar(
                [step.end], [i], xerr=[step.half], fmt="none", ecolor=ink(), elinewidth=1.0,
                capsize=2.0, capthick=1.0, zorder=3,
            )  # fmt: skip
    # from one level to the next, source and target included
    levels = [steps[0].begin, *(step.end for step in steps)]
    for i, level in enumerate(levels):
        ax.plot([level, level], [i, i + 1], color=GREY, linewidth=1.0, zorder=1.5)


def _limits(steps: list[_Step]) -> tuple[float, float]:
    ends = [steps[0].begin]
    for step in steps:
        half = step.half or 0.0
        ends += [step.end - half, step.end + half]
    low, high = min(ends), max(ends)
    margin = 0.06 * (high - low) or 0.5 * abs(high) or 1.0
    return low - margin, high + margin


def _legend(steps: list[_Step]) -> list[tuple[Artist, str]]:
    entries: list[tuple[Artist, str]] = [
        (fill.patch(), what)
        for fill, what, there in (
            (_BETTER, words.IMPROVES, any(step.gain >= 0 for step in steps)),
            (_WORSE, words.WORSE, any(step.gain < 0 for step in steps)),
        )
        if there
    ]
    mark = line_mark(marker="o", linestyle="none", color=ink(), markeredgecolor="white")
    return [*entries, (mark, words.ENDS)]

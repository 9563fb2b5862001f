"""The plots of Shapley interactions: a network, a matrix, and a waterfall."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.shapley_interactions import ShapleyInteractions
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._sets import (
    MOST_NAMES,
    MOST_NODES,
    MOST_STEPS,
    SetTexts,
    draw_matrix,
    draw_network,
    draw_waterfall,
    drawn_sets,
    steps_of,
)
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._text import plain
from hpo_explain.wording import shapley_interactions as words


@draws(ShapleyInteractions)
def plot_shapley_interactions(
    result: ShapleyInteractions, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw what hyperparameters do alone as disks, and what two do together as lines.

    The larger a disk or the wider a line, the larger the value; hatched disks and broken lines
    make it worse. At most 14 hyperparameters are drawn.

    Parameters
    ----------
    result : ShapleyInteractions
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.shapley_interactions(table, objective="loss", background=50)
    >>> [text.get_text() for text in plot_shapley_interactions(found).texts][:2]
    ['x', 'y']
    """
    footer = words.NETWORK + words.not_drawn(result, drawn_sets(result.total, MOST_NODES))
    lower = _lower(result)
    return draw_network(result.total, _texts(result, footer), lower=lower, ax=ax, width=width)


@draws(ShapleyInteractions, "matrix")
def plot_interaction_matrix(
    result: ShapleyInteractions, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw what each hyperparameter does alone, and every two together, as a matrix of colors.

    Parameters
    ----------
    result : ShapleyInteractions
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: the hyperparameters along both; at most 20 are drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.shapley_interactions(table, objective="loss", background=50)
    >>> [text.get_text() for text in plot_interaction_matrix(found).get_yticklabels()]
    ['x', 'y']
    """
    footer = words.MATRIX + words.not_drawn(result, drawn_sets(result.total, MOST_NAMES))
    return draw_matrix(result.total, _texts(result, footer), ax=ax, width=width)


@draws(ShapleyInteractions, "waterfall")
def plot_interaction_waterfall(
    result: ShapleyInteractions, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw the way from the average to what is explained, the largest step first.

    Parameters
    ----------
    result : ShapleyInteractions
        The analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: what is explained by set; the smallest sets are one step.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x * table.y
    >>> found = hx.shapley_interactions(table, objective="loss", background=50)
    >>> plot_interaction_waterfall(found).get_xlabel()
    'predicted loss'
    """
    rest = max(0, len(result.total.sets) - MOST_STEPS + 1)
    steps = steps_of(result.total, result.baseline, words.others(rest))
    texts = _texts(result, words.whiskers(result), words.label(result))
    lower = _lower(result)
    return draw_waterfall(steps, texts, lower=lower, ax=ax, width=width)


def _lower(result: ShapleyInteractions) -> bool:
    return result.of != "variance" and result.subject.lower_is_better


def _texts(result: ShapleyInteractions, footer: str, label: str = "") -> SetTexts:
    better, worse = words.marks(result)
    return SetTexts(
        heading=shorten(plain(words.heading(result)), 160),
        subtitle=words.subtitle(result),
        label=shorten(plain(label or words.value(result)), 60),
        footer=footer,
        better=better,
        worse=worse,
    )

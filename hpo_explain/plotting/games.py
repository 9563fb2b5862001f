"""The plots of games of tuning: a network, a matrix, and a waterfall."""

from __future__ import annotations

from matplotlib.axes import Axes

from hpo_explain.base.width import shorten
from hpo_explain.explanations.games import GameExplanation
from hpo_explain.plotting._registry import draws
from hpo_explain.plotting._sets import (
    MOST_STEPS,
    SetTexts,
    draw_matrix,
    draw_network,
    draw_waterfall,
    steps_of,
)
from hpo_explain.plotting._style import WIDTH
from hpo_explain.plotting._text import plain
from hpo_explain.wording import games as words


@draws(GameExplanation)
def plot_game(result: GameExplanation, *, ax: Axes | None = None, width: float = WIDTH) -> Axes:
    """Draw what hyperparameters do alone as disks, and what two do together as lines.

    Parameters
    ----------
    result : GameExplanation
        The game.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot). Give a figure of your own
        ``layout="constrained"``, so that the labels have room.
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; at most 14 hyperparameters are drawn.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_game(hx.tunability(table, 1, objective="loss")).get_title(loc="left")
    'What tuning gains over the default (trial 1)'
    """
    return draw_network(
        result.total, _texts(result, words.NETWORK), lower=False, ax=ax, width=width
    )


@draws(GameExplanation, "matrix")
def plot_game_matrix(
    result: GameExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw what each hyperparameter does alone, and every two together, as a matrix of colors.

    Parameters
    ----------
    result : GameExplanation
        The game.
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
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> ax = plot_game_matrix(hx.tunability(table, 1, objective="loss"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['x']
    """
    return draw_matrix(result.total, _texts(result, words.MATRIX), ax=ax, width=width)


@draws(GameExplanation, "waterfall")
def plot_game_waterfall(
    result: GameExplanation, *, ax: Axes | None = None, width: float = WIDTH
) -> Axes:
    """Draw how the values of sets add up to that of all, the largest step first.

    Parameters
    ----------
    result : GameExplanation
        The game.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure (unknown to pyplot).
    width : float, default 8.0
        Width of the new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: the game's value by set; the smallest sets are one step.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> plot_game_waterfall(hx.tunability(table, 1, objective="loss")).get_xlabel()
    'gain of the predicted loss'
    """
    rest = max(0, len(result.total.sets) - MOST_STEPS + 1)
    steps = steps_of(result.total, float(result.coalitions[0]), words.others(rest))
    return draw_waterfall(
        steps, _texts(result, words.whiskers(result)), lower=False, ax=ax, width=width
    )


def _texts(result: GameExplanation, footer: str) -> SetTexts:
    positive, negative = words.marks(result)
    return SetTexts(
        heading=shorten(plain(words.heading(result)), 160),
        subtitle=words.subtitle(result),
        label=shorten(plain(words.label(result)), 60),
        footer=footer,
        better=positive,
        worse=negative,
    )

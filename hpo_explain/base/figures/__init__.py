"""Descriptions of figures: plain data that any renderer draws.

A `x_show.py` makes them from a result, a function each, and names them in `VIEWS`: `"":
View(f, "caption")` is what `plot()` draws, `"name": View(g, "caption", shown_if=…)` what
`plot(view="name")` does. A function returns one of

- `Rows`: something per label, from top to bottom. Bars (shares, contributions, gains; several in a
  row by `place`), with whiskers (`half`) and pale lines of what a model does not know (`model`);
  stairs of a waterfall or a path (`begin`, `end` and `levels`); stretches of a recommended space
  (bars of the fills `PALE` and `HATCHED`); `dots` on the bars (each run, a total with a whisker) or
  in their place, colored (contributions of many configurations: `Dots.colors`); `guides` upright;
  `quiet` labels last, without bars (what is inactive). `folded` says which rows have room.
- `Curves`: along an axis `x`. `Line` with a band (effects, paths, densities, ranks by step; `step`
  for the best so far; half a band that differs up and down is an array (2, n); a line is broken
  where it is NaN), `Dots` with whiskers and `labels` (trials, a Pareto front; a y of ±inf stands at
  the end of the axes: trials without a result; beyond `limits` a triangle does), `thin` lines
  behind (ICE, learning curves), `notes` at an x (the trial from which a term led), `levels` across,
  `guide` upright, `rug`, `dimmed` and `marked` stretches. Axes are numbers, logarithmic, shares, or
  names; `usual_ends` says where one ends so that outliers leave room.
- `Cells`: a color per pair (effects of two, matrices of interactions, densities by trial), with
  `texts` in the cells, `dots` over them, `low` and `high` of the scale. Values of both
  signs have `low=-high`.
- `Panels`: several of the above side by side under one heading, with one legend (theirs together)
  and one footer: paths, regions, effects, pairs of objectives. What a panel says of itself is its
  heading, on one line; the rest of its words is written once, from the panels.

What a mark looks like is a name in `LOOKS` ("main", "best", "total", "trial", "failed", …), or the
number of a series, "0" to "7"; `means` says what looks mean, and is the legend. Names that users
gave are handed over as they are: renderers shorten and escape them. Texts are whole sentences made
by the `_show`; renderers write no word of their own. A result whose view is Panels is drawn as an
array of axes, one a panel; others as one axes. At most Rows.MOST rows and Panels.MOST panels are
drawn well: fold, or say in the footer what is left out.

>>> from hpo_explain.base.figures import Axis, Curves, Line
>>> import numpy as np
>>> line = Line(np.arange(3.0), np.array([3.0, 2.0, 2.5]), step=True, look="incumbent")
>>> Curves(heading="Best so far", x=Axis(label="trial"), y=Axis(label="loss"), lines=[line],
...        means={"incumbent": "best so far"}).heading
'Best so far'
"""

from hpo_explain.base.figures.cells import Cells
from hpo_explain.base.figures.curves import Curves, broken, side_by_side, usual_ends
from hpo_explain.base.figures.marks import LOOKS, Axis, Dots, Line, Look, Note, Words
from hpo_explain.base.figures.panels import Figure, Panels
from hpo_explain.base.figures.rows import HATCHED, PALE, Bar, Rows, View

__all__ = [
    "HATCHED",
    "LOOKS",
    "PALE",
    "Axis",
    "Bar",
    "Cells",
    "Curves",
    "Dots",
    "Figure",
    "Line",
    "Look",
    "Note",
    "Panels",
    "Rows",
    "View",
    "Words",
    "broken",
    "side_by_side",
    "usual_ends",
]

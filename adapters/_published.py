"""What is published about runs: figures, the summary as text, importance as metrics, pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_explain.base.errors import unless_nothing
from hpo_explain.base.figures import Curves, Figure, Rows
from hpo_explain.base.loaders import plotly
from hpo_explain.base.phrases import counted, printable
from hpo_explain.methods._engines.effect_show import MOST_CATEGORIES, effect
from hpo_explain.methods.advice.summary import summary
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.history import history
from hpo_explain.methods.space.recommended_space import recommended_space

if TYPE_CHECKING:
    from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
    from hpo_explain.reporting import Section
    from hpo_explain.run import Run

PAGES = ("hpo_explain.html", "hpo_explain_profiler.html")
"""The report, and the profiler."""
CARD = 450
"""How many pixels of a figure Optuna's dashboard shows, which cuts what is below."""
_WORD = re.compile(r"(\s+)")
_ADDRESS = re.compile(r"://|www\.|@", re.IGNORECASE)
_MARK = re.compile(r"([\\`*_{}\[\]<>#|~$&])")
_AXES, _LINE = 100, 15  # pixels of axes, and of a line left of them


def text_of(runs: Mapping[str, Run]) -> str:
    """Return the five lines of each run as Markdown, in which names are text."""
    parts = []
    for name, run in runs.items():
        heading = [f"**{escaped(name)}**", ""] if len(runs) > 1 else []
        lines = [*summary(run).lines, f"Trials that count: {len(run.X)}."]
        parts += [*heading, *(f"- {escaped(printable(line))}" for line in lines), ""]
    return "\n".join(parts).strip()


def figures_of(run: Run) -> Iterator[tuple[str, Any]]:
    """Yield figures about a run as those of plotly, by name; none is higher than a card."""
    explained = unless_nothing(partial(history, run))
    if explained is not None:
        whole: Figure = explained.described()
        yield "history", _card(lambda n: whole, 1)
    shares = unless_nothing(partial(importance, run))
    if shares is not None:
        bars: Rows = shares.described()
        largest = range(len(bars.labels))
        yield "importance", _card_of_rows(bars, largest)
    effects = unless_nothing(partial(partial_dependence, run))
    if effects is not None:
        for i, card in enumerate(_cards_of_effects(effects), 1):
            yield f"effect-{i}", card
    space = unless_nothing(partial(recommended_space, run))
    if space is not None:
        narrowest = np.argsort([row.share for row in space.rows])
        yield "recommended-space", _card_of_rows(space.described(), narrowest)


def _cards_of_effects(effects: PartialDependences) -> Iterator[Any]:
    """Yield a figure for each effect, those of one hyperparameter on one scale."""
    panels = effects.described().panels
    for one, panel in zip(effects, panels, strict=True):

        def described(n: int, of: Any = one, like: Any = panel) -> Figure:
            # Single configurations would be most of what a storage has to hold.
            figure = effect(of, most=n, single=False)
            if isinstance(figure, Curves):
                axis = replace(like.y, label=figure.y.label)
                figure = replace(figure, y=axis)
            return figure

        # That of a number is the same figure whatever there is room for.
        names = one.mean.size if one.categorical[0] else 1
        yield _card(described, min(names, MOST_CATEGORIES))


def _card_of_rows(rows: Rows, first: Iterable[int]) -> Any:
    """Return those rows that there is room for, the first ones of an order."""
    ranked = [*map(int, first)]
    return _card(lambda n: _some(rows, sorted(ranked[:n])), len(ranked))


def _some(rows: Rows, shown: Sequence[int]) -> Rows:
    """Return some of the rows."""
    left_out = len(rows.labels) - len(shown)
    if not left_out:
        return rows
    place = {row: i for i, row in enumerate(shown)}
    footer = f"{rows.footer} Not shown here: {counted(left_out, 'row')}."
    return replace(
        rows,
        labels=[rows.labels[row] for row in shown],
        bars=[replace(bar, row=place[bar.row]) for bar in rows.bars if bar.row in place],
        footer=footer.strip(),
    )


def _card(described: Callable[[int], Figure], most: int) -> Any:
    """Return a figure that fits into a card, with as many names left of its axes as fit."""
    draw = plotly().drawn
    made = draw(described(most))
    for n in range(most - 1, 0, -1):
        if _fits(made):
            break
        made = draw(described(n))
    layout = made.layout
    if layout.height > CARD:
        # The legend hangs below the heading, whose height remains.
        above = (1.0 - layout.legend.y) * layout.height
        layout.update(height=CARD, legend_y=1.0 - above / CARD)
    return made


def _fits(made: Any) -> bool:
    """Return whether the axes of a figure have room in a card, on the narrowest screen."""
    from hpo_explain.draw._room import legend_high

    layout = made.layout
    legend = legend_high([t.name for t in made.data if t.showlegend])
    room = CARD - layout.margin.t - layout.margin.b - legend
    names = layout.yaxis.ticktext or ()
    lines = sum(1 + name.count("<br>") for name in names)
    return bool(room >= max(_AXES, lines * _LINE))


@contextmanager
def written(
    runs: Mapping[str, Run], sections: Sequence[str | Section] | None
) -> Iterator[tuple[Path, ...]]:
    """Return a context in which there are the pages about runs."""
    from hpo_explain.reporting import report
    from hpo_explain.reporting.standalone import panel_of

    with TemporaryDirectory() as folder:
        reported, profiled = (Path(folder) / name for name in PAGES)
        report(dict(runs), reported, sections=sections, n_jobs=1, progress=False)
        panel_of(runs).write(profiled)
        yield reported, profiled


def shares_of(runs: Mapping[str, Run]) -> dict[str, float]:
    """Return the importance of every hyperparameter as metrics, by names that MLflow takes."""
    metrics: dict[str, float] = {}
    for objective, run in runs.items():
        found = unless_nothing(partial(importance, run))
        if found is None:
            continue
        for name, share in found.importance["importance"].items():
            of = f"{objective}/{name}" if len(runs) > 1 else str(name)
            key = "importance/" + re.sub(r"[^\w.\- :]|(?<=/)\.+", "_", of)[:200]
            while key in metrics:
                key += "_"
            metrics[key] = float(share)
    return metrics


def escaped(text: str) -> str:
    """Return a text in which Markdown finds neither marks, tags nor links.

    GitHub's Markdown, as of the dashboard, makes links of addresses whose marks are escaped, too,
    but not of code.
    """
    return "".join(
        _code(w) if _ADDRESS.search(w) else _MARK.sub(r"\\\1", w) for w in _WORD.split(text)
    )


def _code(word: str) -> str:
    """Return a word as code, which ends at no mark that is in it."""
    fence = "`" * (1 + max(map(len, re.findall("`+", word)), default=0))
    return f"{fence} {word} {fence}"

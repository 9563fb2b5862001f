"""How work grows, as a figure: seconds over trials, hyperparameters and categories.

The seconds are kept beside the figure, so that a row that is measured alone joins the others.
"""

import json
from math import inf

from tests.benchmarks.promises import OF_OPTUNA, PROMISES, SECTIONS, Growth, Promise
from tests.source_tree import ROOT

FIGURE = ROOT / "examples" / "figures" / "benchmarks.svg"
SECONDS = FIGURE.with_suffix(".json")
AXES = {
    "As trials grow": ("trials, of 10 hyperparameters", "n"),
    "As hyperparameters grow": ("hyperparameters, of 100 trials", "d"),
    "As categories grow": ("categories of each of 4, 400 trials", "categories"),
}


def kept():
    """Return the seconds that are known, by section and row."""
    if not SECONDS.exists():
        return {}
    return json.loads(SECONDS.read_text(encoding="utf-8"))


def keep(section, row):
    """Keep the seconds of a row, which are measured by then; none where a call was ended."""
    seconds = [None if took == inf else took for took in row.seconds()]
    known = kept()
    known.setdefault(section, {})[row.name] = seconds
    text = json.dumps(known, indent=1, sort_keys=True)
    SECONDS.write_text(f"{text}\n", encoding="utf-8")


def draw():
    """Draw what is kept, a panel a section; hollow marks are goals of seconds."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    known = kept()
    with rc_context({"font.size": 9.0, "svg.hashsalt": "benchmarks"}):
        figure = Figure(figsize=(9.0, 3.2), layout="constrained")
        panels = figure.subplots(1, len(AXES), sharey=True)
        for ax, (section, (label, axis)) in zip(panels, AXES.items(), strict=True):
            _, rows = SECTIONS[section]
            for place, (row, marker) in enumerate(zip(rows, "os^DvP", strict=False)):
                style = {"color": f"C{place}", "marker": marker}
                took = known.get(section, {}).get(row.name)
                if took:
                    sizes = [getattr(size, axis) for size in row.sizes]
                    ax.plot(sizes, took, label=row.name, **style)
                for promise in goals_of(row, axis):
                    ax.plot(
                        getattr(promise, axis),
                        promise.goal,
                        linestyle="",
                        markerfacecolor="none",
                        **style,
                    )
            ax.set(xscale="log", yscale="log", xlabel=label)
            ax.grid(alpha=0.3)
        panels[0].set_ylabel("seconds")
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside upper center", ncols=len(names))
        figure.savefig(FIGURE, metadata={"Date": None})


def goals_of(row: Growth, axis):
    """Return the promises of seconds about what a row grows by, all else as it is in the row."""
    others = {"n", "d", "categories"} - {axis}
    return [
        promise
        for promise in PROMISES
        if isinstance(promise, Promise)
        and promise.question == row.question
        and promise.unit in ("s", OF_OPTUNA)
        and all(getattr(promise, name) == getattr(row.sizes[0], name) for name in others)
    ]

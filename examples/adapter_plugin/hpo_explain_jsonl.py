"""An adapter in a package of your own: it reads the log of a tuner, one JSON object per line.

Once it is installed (``pip install examples/adapter_plugin``), every function of hpo_explain
takes the path of such a log: ``hx.report(Path("trials.jsonl"))``.
"""

import json
from pathlib import Path

import hpo_explain as hx


def from_jsonl(source, *, direction="minimize"):
    """Return the run that a log holds, or None for any other source."""
    if not isinstance(source, Path) or source.suffix != ".jsonl":
        return None
    header, *trials = map(json.loads, source.read_text(encoding="utf-8").splitlines())
    space = hx.SearchSpace([hx.FloatParameter(**parameter) for parameter in header["space"]])
    done = [number for number, trial in enumerate(trials) if "loss" in trial]
    return hx.Run(
        space,
        space.encode([trials[number]["config"] for number in done]),
        [trials[number]["loss"] for number in done],
        direction,
        trials=done,
        proposals=[number for number in done if number >= header["random"]],
        excluded={n: "it crashed" for n, trial in enumerate(trials) if "loss" not in trial},
        objective_name="loss",
        optimizer="our own tuner",
    )

"""All numbers of the explanations of six small runs, without their words; run as a script.

``python -m tests.digests`` prints a digest of each as JSON, of all or of those that are named;
``--save FILE`` writes the numbers, ``--against FILE`` names those that differ from such a file.
"""

import argparse
import datetime as dt
import hashlib
import json
import math
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pandas as pd
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState

import hpo_explain as hx

DISTRIBUTIONS: dict[str, BaseDistribution] = {
    "lr": FloatDistribution(1e-4, 1.0, log=True),
    "booster": CategoricalDistribution(["gbtree", "dart", "gblinear"]),
    "rate": FloatDistribution(0.0, 1.0),
}
Explained = Mapping[str, Callable[[Any], Any]]


def _of(first: str, pair: tuple[str, str]) -> Explained:
    """What is asked about a run, of a hyperparameter and of two."""
    return {
        "trust": lambda run: hx.trust(run),
        "importance": lambda run: hx.importance(run, 2, kind="forest", n_trees=16),
        "importance by a Gaussian process": lambda run: hx.importance(run, kind="gp"),
        "proposal": lambda run: hx.explain_proposal(run),
        "densities": lambda run: hx.methods.proposal_densities(run),
        "density path": lambda run: hx.methods.density_path(run, first),
        "path": lambda run: hx.methods.desirability_path(
            run, run.proposals[-3:], acquisition="lcb"
        ),
        "effect": lambda run: hx.partial_dependence(run, first),
        "effect of a pair": lambda run: hx.partial_dependence(run, pair, grid_size=6),
        "effects": lambda run: hx.partial_dependence(run),
        "regional effect": lambda run: hx.partial_dependence(run, first, regions=True),
        "effect by shape": lambda run: hx.partial_dependence(
            run, first, regions=True, criterion="interaction"
        ),
        "accumulated effect": lambda run: hx.partial_dependence(run, first, kind="accumulated"),
        "h statistic": lambda run: hx.methods.h_statistic(run),
        "local importance": lambda run: hx.methods.local_importance(run),
        "lime": lambda run: hx.methods.lime(run),
        "prediction": lambda run: hx.explain_prediction(run),
        "predictions": lambda run: hx.methods.explain_predictions(run),
        "interactions": lambda run: hx.methods.shapley_interactions(run),
        "recommended space": lambda run: hx.recommended_space(run),
        "history": lambda run: hx.history(run),
        "slices": lambda run: hx.methods.slices(run, [first]),
        "contours": lambda run: hx.methods.contours(run, pair),
        "noise": lambda run: hx.methods.noise(run),
        "tunability": lambda run: hx.methods.tunability(run),
        "mistunability": lambda run: hx.methods.tunability(run, kind="mistunability"),
        "sensitivity": lambda run: hx.methods.tunability(run, kind="sensitivity"),
        "optimum": lambda run: hx.optimum(run),
        "advice": lambda run: hx.advise(run),
        "comparison": lambda run: hx.compare({"a": run, "b": run}),
    }


_LEFT_OUT = {"sentence", "text"}


def small_run() -> hx.Run:
    """25 trials of a number, a category and a number that is there for one category.

    The last five are repeated, and two of them are left out.
    """
    rng = np.random.default_rng(0)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    params: list[dict[str, Any]] = []
    for number in range(27):
        boosters = DISTRIBUTIONS["booster"].choices  # type: ignore[attr-defined]
        drawn = {"lr": float(10.0 ** rng.uniform(-4, 0)), "booster": str(rng.choice(boosters))}
        if drawn["booster"] == "dart":
            drawn["rate"] = float(rng.uniform())
        params.append(params[number - 5] if number > 21 else drawn)
        study.add_trial(trial(number, params[-1], rng.normal()))
    return hx.from_optuna(study)


def trial(number: int, params: dict[str, Any], noise: float) -> FrozenTrial:
    """A trial of which all is known, its times too."""
    loss = (np.log10(params["lr"]) + 2.0) ** 2 + params.get("rate", 0.2) + 0.05 * noise
    pruned = number in (3, 8)
    start = dt.datetime(2026, 1, 1) + dt.timedelta(minutes=number)
    return FrozenTrial(
        number=number,
        trial_id=number,
        value=None if pruned else float(loss),
        params=params,
        state=TrialState.PRUNED if pruned else TrialState.COMPLETE,
        distributions={name: DISTRIBUTIONS[name] for name in params},
        datetime_start=start,
        datetime_complete=start + dt.timedelta(seconds=30),
        user_attrs={},
        system_attrs={},
        intermediate_values={},
    )


def study_of(
    distributions: Mapping[str, BaseDistribution],
    loss: Callable[..., Any],
    n: int,
    sampler: optuna.samplers.BaseSampler,
    **options: Any,
) -> optuna.Study:
    """A study that its sampler made, without times; a loss of None is a failed trial."""
    study = optuna.create_study(sampler=sampler, **options)
    for _ in range(n):
        asked = study.ask(dict(distributions))
        found = loss(asked.number, **asked.params)
        study.tell(asked, found, state=TrialState.FAIL if found is None else None)
    frozen = optuna.create_study(sampler=sampler, **options)
    for one in study.trials:
        start = dt.datetime(2026, 1, 1) + dt.timedelta(minutes=one.number)
        one.datetime_start, one.datetime_complete = (start, start + dt.timedelta(seconds=40))
        frozen.add_trial(one)
    return frozen


@cache
def runs() -> dict[str, tuple[Any, Explained]]:
    """Each run with what is asked about it."""
    rng = np.random.default_rng(1)
    kinds = {
        "kernel": CategoricalDistribution(["rbf", "poly", "sigmoid", "linear"]),
        "scale": CategoricalDistribution([True, False]),
        "depth": IntDistribution(1, 8),
    }
    worth = {"rbf": 0.3, "poly": 0.1, "sigmoid": -0.2, "linear": 0.0}
    numbers: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(4)}
    tpe, random = optuna.samplers.TPESampler, optuna.samplers.RandomSampler

    def accuracy(number: int, kernel: str, scale: bool, depth: int) -> float:
        return worth[kernel] + 0.02 * depth * scale + 0.01 * float(rng.normal())

    def failing(number: int, **x: float) -> float | None:
        if number % 7 == 5:
            return None
        return 1e6 if number == 11 else x["x0"] ** 2 + x["x1"] * x["x2"]

    def bowl(number: int, **x: float) -> float:
        return (x["x0"] - 0.3) ** 2 + 2.0 * x["x1"] * x["x2"] + 0.02 * float(rng.normal())

    table = pd.DataFrame(rng.uniform(size=(30, 3)), columns=["lr", "wd", "momentum"])
    table["loss"] = table["lr"] ** 2 + 0.5 * table["wd"] * table["momentum"]
    two = study_of(
        {"x0": numbers["x0"], "x1": numbers["x1"]},
        lambda number, x0, x1: (x0**2 + 0.1 * x1, (1.0 - x0) ** 2 + 0.3 * x1),
        30,
        tpe(seed=2),
        directions=["minimize", "minimize"],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        two.set_metric_names(["loss", "size"])
    return {
        "conditional": (small_run(), _of("lr", ("lr", "booster"))),
        "categorical": (
            hx.from_optuna(study_of(kinds, accuracy, 40, random(seed=3), direction="maximize")),
            _of("kernel", ("kernel", "depth")),
        ),
        "failed": (
            hx.from_optuna(study_of(numbers, failing, 40, random(seed=4))),
            _of("x0", ("x1", "x2")),
        ),
        "TPE": (hx.from_optuna(study_of(numbers, bowl, 50, tpe(seed=5))), _of("x0", ("x1", "x2"))),
        "table": (
            hx.from_frame(table, objective="loss", direction="minimize"),
            _of("lr", ("wd", "momentum")),
        ),
        "objectives": (
            two,
            {
                "pareto": lambda study: hx.pareto(study),
                "importance of one": lambda study: hx.importance(study, target="loss"),
                "importance of weights": lambda study: hx.importance(
                    study, target={"loss": 0.7, "size": 0.3}
                ),
                "importance of the rank": lambda study: hx.importance(study, target="pareto_rank"),
            },
        ),
    }


def explained() -> list[str]:
    """The names of all that is asked: of the run, and of the question."""
    return [f"{run}: {name}" for run, (_, asked) in runs().items() for name in asked]


def numbers_of(name: str) -> dict[str, str]:
    """All that a result holds but its words, by where it stands; floats as hex."""
    run, _, asked = name.partition(": ")
    source, questions = runs()[run]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = questions[asked](source)
        except ValueError as error:
            return {"raised": type(error).__name__}
        held = {"": result.to_dict()} if hasattr(result, "to_dict") else {"": result}
        if hasattr(result, "to_frame"):
            frame = result.to_frame()
            held["frame"] = {
                "index": [str(one) for one in frame.index],
                **{str(key): [*column] for key, column in frame.items()},
            }
    return dict(flat(held, ""))


def flat(held: Any, at: str) -> Iterator[tuple[str, str]]:
    """Every number and word with its place."""
    if isinstance(held, Mapping):
        for key, value in held.items():
            if key not in _LEFT_OUT:
                yield from flat(value, f"{at}/{key}")
    elif isinstance(held, (list, tuple, np.ndarray)):
        yield f"{at}#", str(len(held))
        for i, value in enumerate(held):
            yield from flat(value, f"{at}/{i}")
    elif isinstance(held, (float, np.floating)):
        yield at, "nan" if math.isnan(held) else float(held).hex()
    else:
        yield at, str(held)


def page(run: hx.Run, sections: list[str] | None) -> str:
    """A report: nothing in it says when it was written."""
    with tempfile.TemporaryDirectory() as folder:
        path = hx.report(run, Path(folder) / "r.html", sections=sections, progress=False)
        return path.read_text(encoding="utf-8")


PAGES = {"brief report": ["history", "importance", "explain-proposal"], "report": None}


def digests(names: Sequence[str]) -> dict[str, str]:
    """A digest of all that each result holds, words included where it is a report."""
    return {
        name: digest(page(small_run(), PAGES[name]) if name in PAGES else numbers_of(name))
        for name in names
    }


def digest(held: Any) -> str:
    return hashlib.sha256(json.dumps(held).encode()).hexdigest()


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Where two results differ, the first few in words; what only the other one has is no loss."""
    changed = [at for at in one if at in other and one[at] != other[at]]
    told = [f"{at}: {one[at]} -> {other[at]}{apart(one, other, at)}" for at in changed[:8]]
    gone = [at for at in one if at not in other]
    return [
        *told,
        *([f"... {len(changed) - 8} more"] if len(changed) > 8 else []),
        *([f"gone: {', '.join(gone[:4])} ... {len(gone)} in all"] if gone else []),
    ]


def apart(one: Mapping[str, str], other: Mapping[str, str], at: str) -> str:
    try:
        a, b = float.fromhex(one[at]), float.fromhex(other[at])
    except (KeyError, ValueError):
        return ""
    return f" ({b - a:.3g} of {a:.6g})"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", help="parts of names, such as lime or TPE")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--against", type=Path)
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    names = explained()
    if given.names:
        exact = [name for name in (*names, *PAGES) if name in given.names]
        names = exact or [name for name in names if any(part in name for part in given.names)]
    if given.save:
        given.save.write_text(json.dumps({name: numbers_of(name) for name in names}))
        return 0
    if given.against:
        known, differing = json.loads(given.against.read_text()), 0
        for name in names:
            found = differences(known[name], numbers_of(name)) if name in known else ["new"]
            differing += bool(found)
            print(name, "equal" if not found else "\n    " + "\n    ".join(found), flush=True)
        return int(bool(differing))
    print(json.dumps(digests(names)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

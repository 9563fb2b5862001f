"""Nothing that is said depends on how a run is written down.

Renamed, relabelled and reordered hyperparameters and categories, the negated objective, and an
objective multiplied or moved by 1e6 lead to the same answers: the same rows and words, and numbers
that differ by the objective's unit and zero only. `tests/invariances.py` writes the runs down.
"""

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import hpo_explain as hx
from tests.invariances import Written, trials, ways

pytestmark = pytest.mark.usefixtures("few_draws")

TOLERANCE = 1e-6  # of the largest number of a column; see `tolerance_of`
LETTERS = {"rate": "zz", "lr": "yy", "layers": "xx", "kind": "ww", "drop": "vv", "warm": "uu"}
LABELS = {"kind": {"tree": "z_", "line": "y_", "net": "a_"}, "warm": {False: "on", True: "off"}}
AS_IS = Written()
TOGETHER = Written(
    order=(5, 4, 3, 2, 1, 0),
    names=LETTERS,
    labels=LABELS,
    categories={"kind": (1, 2, 0), "warm": (1, 0)},
    scale=-1e6,
    shift=3e6,
)
OBJECTIVES = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (1e6, 0.0),
    (1e-6, 0.0),
    (1.0, 1e6),
    (1.0, -1e-6),
    (-1e6, 3e6),
]
other = given(ways(OBJECTIVES, [1.0]), st.sampled_from(["gp", "forest"]), st.integers(0, 3))


@pytest.fixture(autouse=True, scope="module")
def on_one_thread():
    """Many small models are fitted, for which BLAS's threads cost more than they save."""
    with threadpool_limits(1, user_api="blas"):
        yield


# ---------------------------------------------------------------------- what is asked


def predictions(w, run, kind):
    space = AS_IS.space()
    rows = run.space.encode([w.config(c) for c in space.decode(space.sample(40, seed=3))])
    mean, std = run.surrogate(kind=kind).predict(rows)
    return pd.DataFrame({"mean": mean, "std": std})


def trust(w, run, kind):
    found = hx.trust(run)
    return pd.DataFrame([{"level": found.level, "r2": found.r2, "rank": found.rank}])


def proposal(criterion, **options):
    return lambda w, run, kind: hx.explain_proposal(
        run,
        20,
        acquisition=criterion,
        background=60,
        surrogate=run.surrogate(before=20, kind=kind),
        **options,
    )


def rows_of(said, left_out=None):
    """The rows alone, without a column, by its name or its place."""

    def rows(w, run, kind):
        frame = said(w, run, kind).to_frame().reset_index(drop=left_out == 0)
        if left_out == 0:  # its name may be that of a hyperparameter, too
            return frame.iloc[:, 1:]
        return frame.drop(columns=[] if left_out is None else left_out)

    return rows


def game(game):
    return rows_of(
        lambda w, run, kind: hx.methods.tunability(run, 3, kind=game, surrogate=kind), "model_std"
    )


def effect(name, **options):
    return lambda w, run, kind: hx.partial_dependence(
        run, w.name(name), grid_size=4, surrogate=kind, **options
    )


def lime(*model, **options):
    return lambda w, run, kind: hx.methods.lime(run, 5, *model, kind=kind, sample=200, **options)


def shares(w, run, kind):
    found = hx.partial_dependence(run, sample=40, grid_size=4, pairs=1, surrogate=kind).shares
    return pd.DataFrame([{"names": names, "share": share} for names, share in found.items()])


def advise(w, run, kind):
    actions = hx.advise(run, surrogate=run.surrogate(kind=kind)).actions
    names = ["kind", "hyperparameters", "certain", "gain"]
    return pd.DataFrame([{name: getattr(action, name) for name in names} for action in actions])


def optimum(w, run, kind):
    found = hx.optimum(run)
    # the least of a draw is looked for from rows of which some tie: regret is the same to 3e-4
    numbers = {name: getattr(found, name) for name in ("estimate", "p_better", "epsilon")}
    # beside which what is left of draws is rounding
    gain = found.expected_gain + found.epsilon
    return found.to_frame().reset_index().assign(**numbers, gain=gain)


def pareto(w, run, kind):
    found = hx.pareto(w.two_objectives(0), kind="forest")
    rows = zip(found.trials[found.front], found.contribution, strict=False)
    return pd.DataFrame(rows, columns=["trial", "added"])


SAID = {
    "surrogate": predictions,
    "trust": trust,
    "importance": lambda w, run, kind: hx.importance(run, 2, kind="forest", n_trees=8),
    "changes": lambda w, run, kind: hx.changes(run, 3, kind=kind),
    "changes of EI": rows_of(
        lambda w, run, kind: hx.changes(run, 3, 12, acquisition="ei", before=20, kind=kind)
    ),
    "local_importance": lambda w, run, kind: hx.methods.local_importance(run, 5, kind=kind),
    "lime": lime(),
    "lime as a tree": lime("tree"),
    "partial_dependence": effect("rate", sample=40),
    "partial_dependence of a category": effect("kind", sample=40),
    "partial_dependence of a condition": effect("drop", sample=40),
    "accumulated_local_effects": effect("rate", kind="accumulated"),
    "accumulated_local_effects of a category": effect("kind", kind="accumulated"),
    "regional_partial_dependence": effect("rate", regions=True, sample=100),
    "regions by shape": effect("rate", regions=True, sample=100, criterion="interaction"),
    "h_statistic": lambda w, run, kind: hx.methods.h_statistic(run, kind=kind),
    "tunability": game("tunability"),
    "shapley_interactions": rows_of(  # without what draws of the model say
        lambda w, run, kind: hx.methods.shapley_interactions(run, 5, background=60, kind=kind),
        "model_std",
    ),
    "explain_prediction": lambda w, run, kind: hx.explain_prediction(
        run, 5, background=60, kind=kind
    ),
    "explain_predictions": lambda w, run, kind: hx.methods.explain_predictions(
        run, range(6), background=40, kind=kind
    ),
    "explain_proposal by LCB": proposal("lcb"),
    "explain_proposal by EI": proposal("ei"),
    "explain_proposal by PI": proposal("pi"),
    "history": lambda w, run, kind: hx.history(run),
}
SLOWLY = {
    "desirability_path": lambda w, run, kind: hx.methods.desirability_path(
        run,
        [15, 20, 26],
        acquisition="lcb",
        background=30,
        progress=False,
        surrogate=run.surrogate(kind=kind),
    ),
    "importance of what fits": lambda w, run, kind: hx.importance(run, 2),
    "lime around it": lime(sampling="local"),
    "partial_dependences": shares,
    "mistunability": game("mistunability"),
    "sensitivity": game("sensitivity"),
    "optimizer_bias": game("optimizer_bias"),
    "explain_proposal by log EI": proposal("logei"),
    "explain_proposal by KernelExplainer": proposal("lcb", estimator="kernel"),
    "explain_proposal by sampling": proposal("lcb", estimator="sampling", orders=200),
    "recommended_space": lambda w, run, kind: hx.recommended_space(
        run, surrogate=run.surrogate(kind=kind)
    ),
    "optimum": optimum,
    "advise": advise,
    "noise": lambda w, run, kind: hx.methods.noise(w.noisy(0), kind="gp"),
    "pareto": pareto,
    "pruning": lambda w, run, kind: hx.pruning(w.with_curves(0)),
    "compare": lambda w, run, kind: hx.compare({"one": run, "two": w.run(10)}, kind="gp"),
    "proposal_densities": lambda w, run, kind: hx.methods.proposal_densities(
        w.study(0), w.config(trials(1)[0][0])
    ),
}


# ---------------------------------------------------------------------- the same

OTHER_END = {"lower": "upper", "upper": "lower"}


def tables(found):
    """The rows of a result, and its claims by their kind."""
    yield ("rows", found if isinstance(found, pd.DataFrame) else found.to_frame().reset_index())
    for kind, term in sorted({(c.kind, c.term) for c in getattr(found, "claims", ())}):
        told = [c for c in found.claims if (c.kind, c.term) == (kind, term)]
        rows = [(c.hyperparameters, c.certain, c.estimate) for c in told]
        yield (f"{kind} {term}", pd.DataFrame(rows, columns=["names", "certain", "estimate"]))


def words(w, cell):
    """What a cell says, whatever things are called and in whichever order; numbers are left out."""
    back = {new: old for old, new in w.names.items()}
    for labels in w.labels.values():
        back |= {new: str(old) for old, new in labels.items()}
    said = re.findall(r"[^\W\d]\w*", str(cell))
    return " ".join(sorted(back.get(word, word) for word in said))


def written_back(w, frame):
    """Columns of words and of numbers, by their names at first; rows in the order of words."""
    is_text = {
        name: not all(
            (isinstance(v, (int, float, np.number)) and not isinstance(v, bool)) or v is None
            for v in frame[name].tolist()
        )
        for name in frame.columns
    }
    text = {w.old(n): [words(w, v) for v in frame[n]] for n, some in is_text.items() if some}
    order = sorted(range(len(frame)), key=lambda i: [text[n][i] for n in sorted(text)])
    numbers = {
        w.old(n): np.array([np.nan if v is None else v for v in frame[n]], dtype=float)[order]
        for n, some in is_text.items()
        if not some and n != "index"
    }
    return {n: [column[i] for i in order] for n, column in text.items()}, numbers


def difference(found, other, way):
    """The largest difference of numbers, of the largest of a column; infinite of other words."""
    worst = 0.0
    one, two = dict(tables(found)), dict(tables(other))
    if one.keys() != two.keys():
        return np.inf
    for kind, frame in one.items():
        (text, numbers), (others, given) = (
            written_back(AS_IS, frame),
            written_back(way, two[kind]),
        )
        if text != others or numbers.keys() != given.keys():
            return np.inf
        least = 1e-9 * max((np.nanmax(np.abs(v), initial=0.0) for v in numbers.values()), default=0)
        for name, column in numbers.items():
            size = max(np.nanmax(np.abs(column), initial=0.0), least) or 1.0
            ends = {name, OTHER_END.get(name, name)} & given.keys()
            worst = max(worst, min(apart(column, given[end], way) for end in ends) / size)
    return worst


def apart(column, other, way):
    """How far a column is from one in another unit of the objective, from another zero, or none."""
    s = way.scale
    units = [(1.0, 0.0), (abs(s), 0.0), (s, 0.0), (s * s, 0.0), (s, way.shift)]
    found = [(other - zero) / unit for unit, zero in units]
    if len(column) != len(other) or not np.array_equal(np.isnan(column), np.isnan(other)):
        return np.inf
    return min(np.nanmax(np.abs(column - back), initial=0.0) for back in found)


def tolerance_of(way):
    """A moved objective tells values to 1e-10, so the place of an optimum to the root of that.

    What varies there with the place, as a standard deviation does, varies by at most 1 within the
    least length-scale, 0.05 of a range: it is told to 20 times as much.
    """
    return 2e-4 if abs(way.shift) >= 1e6 * abs(way.scale) else TOLERANCE


def check(said, way, kind, seed):
    as_it_is = said(AS_IS, AS_IS.run(seed), kind)
    # in single precision, that of draws, near values change their ranks
    tolerance = max(tolerance_of(way), 1e-5 if said is trust else 0.0)
    assert difference(as_it_is, said(way, way.run(seed), kind), way) < tolerance


@pytest.mark.parametrize(
    ("name", "kind"), list(zip(SAID, itertools.cycle(["gp", "forest"]), strict=False))
)
def test_everything_at_once_changes_no_answer(name, kind):
    """In the night every answer is asked of both kinds of models."""
    check(SAID[name], TOGETHER, kind, seed=0)


@settings(max_examples=20)
@other
def test_no_way_to_write_a_run_down_changes_what_is_learned(way, kind, seed):
    check(predictions, way, kind, seed)


def test_the_comparison_notices_a_difference():
    run = AS_IS.run(0)
    said = predictions(AS_IS, run, "forest")
    assert difference(said, predictions(AS_IS, AS_IS.run(1), "forest"), AS_IS) > 0.1
    assert difference(said, said + 1.0, AS_IS) > 0.1
    assert difference(said, said + [1.0, 0.0], Written(shift=1.0)) == pytest.approx(0.0, abs=1e-9)
    shares = hx.importance(run, kind="forest", n_trees=8)
    renamed = hx.importance(TOGETHER.run(0), kind="forest", n_trees=8)
    assert difference(shares, renamed, AS_IS) == np.inf


@pytest.mark.thorough
@pytest.mark.parametrize("name", {**SAID, **SLOWLY})
@settings(max_examples=20)
@other
def test_no_way_to_write_a_run_down_changes_an_answer(name, way, kind, seed):
    check({**SAID, **SLOWLY}[name], way, kind, seed)

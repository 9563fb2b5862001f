"""Nothing that is said depends on how a run is written down.

Renamed, relabelled and reordered hyperparameters and categories, the negated objective, and an
objective multiplied or moved by 1e6 lead to the same answers; `tests/invariances.py` writes the
runs down and takes what is said back.
"""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import hpo_explain as hx
from tests.invariances import Written, trials

TOLERANCE = 1e-6  # of the largest number beside; an objective moved by 1e6 has lost its last digits
LETTERS = {"rate": "z", "lr": "y", "layers": "x", "kind": "w", "drop": "v", "warm": "u"}
LABELS = {"kind": {"tree": "z", "line": "y", "net": "a"}, "warm": {False: "on", True: "off"}}
AS_IS = Written()
TOGETHER = Written(
    order=(5, 4, 3, 2, 1, 0),
    names=LETTERS,
    labels=LABELS,
    categories={"kind": (1, 2, 0), "warm": (1, 0)},
    scale=-1e6,
    shift=3e6,
)
WAYS = {
    "renamed": Written(names=LETTERS),
    "relabelled": Written(labels=LABELS),
    "reordered": Written(order=(3, 5, 0, 4, 2, 1)),
    "categories reordered": Written(categories={"kind": (2, 0, 1), "warm": (1, 0)}),
    "negated": Written(scale=-1.0),
    "times 1e6": Written(scale=1e6),
    "times 1e-6": Written(scale=1e-6),
    "plus 1e6": Written(shift=1e6),
    "minus 1e-6": Written(shift=-1e-6),
    "all at once": TOGETHER,
}


@pytest.fixture(autouse=True, scope="module")
def on_one_thread():
    """Many small models are fitted, for which BLAS's threads cost more than they save."""
    with threadpool_limits(1, user_api="blas"):
        yield


# ---------------------------------------------------------------------- what is said, taken back


def by_name(w, names, values):
    return {w.old(name): values[j] for j, name in enumerate(names)}


def set_of(w, names):
    return tuple(sorted(w.old(name) for name in names))


def settings(w, config):
    return tuple(sorted((k, v) for k, v in w.back(config).items()))


def claims(w, found):
    return [(c.kind, set_of(w, c.hyperparameters), c.certain) for c in found.claims]


def curve(w, effect, mean):
    """Numbers of an effect by the value of the hyperparameter, as it is at first."""
    name, found = w.old(effect.names[0]), {}
    for g, value in enumerate(effect.grid):
        at = w.old_value(name, value)
        at = at if isinstance(at, (str, bool)) else round(float(at), 9)
        found[at] = [mean(effect.mean[g]), w.size(effect.std[g])]
        if getattr(effect, "attainable", None) is not None:
            found[at].append(w.point(effect.attainable.mean[g]))
    return {"curve": found, "claims": claims(w, effect)}


def values_of_sets(w, found, convert):
    sets = [set_of(w, [n for i in s for n in found.players[i]]) for s in found.sets]
    return dict(zip(sets, convert(found.values), strict=True))


def root(w, squares):
    return np.sign(squares) * np.sqrt(np.abs(squares)) / abs(w.scale)


def predictions(run, w, kind):
    space = AS_IS.space()
    rows = run.space.encode([w.config(c) for c in space.decode(space.sample(40, seed=3))])
    mean, std = run.surrogate(kind=kind).predict(rows)
    return {"mean": w.point(mean), "std": w.size(std)}


def held_out(run, w, kind):
    found = run.surrogate(kind=kind).held_out()
    return {"mean": w.point(found.mean), "std": w.size(found.std)}


def trust(run, w, kind):
    found = hx.trust(run, surrogate=run.surrogate(kind=kind))
    return {
        "numbers": [found.r2, found.coverage],
        "levels": [found.everywhere.level, found.good_region.level],
    }


def importance(run, w, kind, **options):
    found = hx.importance(run, 2, kind=kind, **options)
    sets = [set_of(w, [found.names[j] for j in m]) for m in found.members]
    known = found.intervals
    return {
        "shares": dict(zip(sets, found.estimate, strict=True)),
        "ends": dict(zip(sets, zip(known.lower, known.upper, strict=True), strict=True)),
        "std": root(w, found.total_variance),
        "claims": claims(w, found),
    }


def importance_of_trees(run, w, kind):
    return importance(run, w, "forest", n_trees=8) if kind == "forest" else {}


def importance_of_what_fits(run, w, kind):
    return importance(run, w, "auto")


def subspace(run, w, kind):
    found = hx.subspace(run, 0.8, kind=kind, n_trees=8)
    return {
        "names": [w.old(name) for name in found.names],
        "explained": found.explained,
        "fixed": settings(w, found.fixed),
    }


def ablation(run, w, kind):
    found = hx.ablation(run, 3, kind=kind)
    return {
        "steps": [set_of(w, step) for step in found.steps],
        "values": w.point(found.values),
        "gains": [w.size(found.gains), w.size(found.shapley), w.size(found.std)],
        "total": [w.size(found.total_gain), w.size(found.total_std)],
        "rounds": [{w.old(k): w.size(v) for k, v in r.items()} for r in found.rounds],
        "claims": claims(w, found),
    }


def ablation_of_ei(run, w, kind):
    found = hx.ablation(run, 3, 12, acquisition="ei", before=20, kind=kind)
    return {"steps": [set_of(w, step) for step in found.steps], "gains": w.size(found.gains)}


def local_importance(run, w, kind):
    found = hx.local_importance(run, 5, kind=kind)
    return {
        "shares": by_name(w, found.names, found.importance),
        "std": by_name(w, found.names, found.std),
        "claims": claims(w, found),
    }


def lime(model="linear", sampling="uniform"):
    def said(run, w, kind):
        found = hx.lime(run, 5, model, sampling=sampling, kind=kind, sample=200)
        effects = {}
        for i, s in enumerate(found.statements):
            values = i if s.kind in ("leaf", "rule") else str(settings_of(w, s))
            effects[set_of(w, s.names), s.kind, values] = w.change(s.effect)
        return {"fit": [found.fidelity, found.held_out], "effects": effects}

    return said


def settings_of(w, statement):
    return [w.old_value(w.old(statement.names[0]), v) for v in statement.values]


def partial_dependence(run, w, kind):
    return {
        name: curve(w, hx.partial_dependence(run, w.name(name), sample=40, grid_size=4, kind=kind),
                    w.point)
        for name in ("rate", "kind", "drop")
    }  # fmt: skip


def partial_dependences(run, w, kind):
    found = hx.partial_dependences(run, sample=40, grid_size=4, pairs=1, kind=kind)
    return {"shares": {set_of(w, k): v for k, v in found.shares.items()}}


def accumulated(run, w, kind):
    return {
        name: curve(
            w, hx.accumulated_local_effects(run, w.name(name), grid_size=4, kind=kind), w.change
        )
        for name in ("rate", "kind", "drop")
    }


def regional(run, w, kind):
    found = hx.regional_partial_dependence(run, w.name("rate"), sample=100, grid_size=5, kind=kind)
    return {
        "weights": [r.weight for r in found.regions],
        "names": [sorted(w.old(c.name) for c in r.conditions) for r in found.regions],
        "means": [w.point(r.effect.mean) for r in found.regions],
    }


def h_statistic(run, w, kind):
    found = hx.h_statistic(run, sample=40, kind=kind)
    names = [w.old(name) for name in found.names]
    pairs = {}
    for i, j in zip(*np.tril_indices(len(names), -1), strict=True):
        known = found.bounds
        ends = [] if known is None else [known.lower[i, j], known.upper[i, j]]
        pairs[tuple(sorted((names[i], names[j])))] = [found.pairs[i, j], *ends]
    return {"total": by_name(w, found.names, found.total), "pairs": pairs}


def next_experiments(run, w, kind):
    if kind == "forest":  # it has no joint posterior
        return {}
    found = hx.next_experiments(
        run, w.name("rate"), n=2, sample=30, grid_size=5, candidates=40, kind=kind
    )
    return {"chosen": [settings(w, config) for config in found]}


def expected_minimum(run, w, kind):
    config, mean = hx.expected_minimum(run, kind=kind)
    return {"config": settings(w, config), "mean": w.point(mean)}


def game(function):
    def said(run, w, kind):
        found = function(run, 3, kind=kind)

        def convert(values):
            return root(w, values) if function is hx.sensitivity else w.size(values)

        std = 0.0 if found.whole_std is None else found.whole_std
        return {
            "values": values_of_sets(w, found.total, convert),
            "whole": [convert(found.whole), convert(std)],
            "claims": claims(w, found),
        }

    return said


def interactions(of):
    def said(run, w, kind):
        at = None if of == "variance" else 5
        found = hx.shapley_interactions(run, at, of=of, background=60, kind=kind)

        def convert(values):
            return root(w, values) if of == "variance" else w.change(values)

        return {"values": values_of_sets(w, found.total, convert)}

    return said


def prediction(run, w, kind):
    found = hx.explain_prediction(run, 5, background=60, kind=kind)
    return {
        "phi": by_name(w, found.names, w.change(found.phi)),
        "half": by_name(w, found.names, w.size(found.half_width)),
        "std": by_name(w, found.names, w.size(found.model_std)),
        "claims": claims(w, found),
    }


def prediction_overview(run, w, kind):
    found = hx.explain_predictions(run, range(6), background=40, kind=kind)
    return {"phi": [by_name(w, found.names, w.change(phi)) for phi in found.phi]}


def proposal(criterion, **options):
    def said(run, w, kind):
        found = hx.explain_proposal(
            run, 20, acquisition=criterion, background=60,
            surrogate=run.surrogate(before=20, kind=kind), **options,
        )  # fmt: skip
        convert = w.size if criterion in ("lcb", "ei") else np.asarray  # PI and log EI have no unit
        return {
            "phi": by_name(w, found.names, convert(found.phi)),
            "error": by_name(w, found.names, convert(found.standard_error)),
            "claims": claims(w, found),
        }

    return said


def desirability_path(run, w, kind):
    found = hx.desirability_path(
        run, [15, 20, 26], acquisition="lcb", background=30, progress=False,
        surrogate=run.surrogate(kind=kind),
    )  # fmt: skip
    return {"totals": [by_name(w, found.names, w.size(total)) for total in found.total]}


def recommended_space(run, w, kind):
    found = hx.recommended_space(run, surrogate=run.surrogate(kind=kind))
    return {
        "kept": {w.old(r.hyperparameter): [r.kept, r.trials or -1] for r in found.rows},
        "bounds": {
            w.old(r.hyperparameter): [w.point(r.bound), w.point(r.reached)] for r in found.rows
        },
    }


def footprint(run, w, kind):
    found = hx.footprint(run, border=20, random=20, kind=kind)
    apart = found.xy[:, None] - found.xy
    return {
        "stress": [found.stress, found.surface_r2, *found.explored],
        "mean": w.point(found.mean),
        "apart": np.hypot(apart[..., 0], apart[..., 1]),
    }


def values_of(w, name, values):
    """A range as it is, or a set of categories in any order."""
    if not isinstance(values, (list, tuple)):
        return w.old_value(name, values)
    back = [w.old_value(name, value) for value in values]
    return sorted(back, key=str)


def advise(run, w, kind):
    found = hx.advise(run, surrogate=run.surrogate(kind=kind))
    return {
        "actions": [(a.kind, set_of(w, a.hyperparameters), a.certain) for a in found.actions],
        "values": [
            {w.old(n): values_of(w, w.old(n), v)
             for n, v in zip(a.hyperparameters, a.values, strict=True)}
            for a in found.actions if a.values
        ],
        "to evaluate": [[settings(w, c) for c in a.configurations] for a in found.actions],
        "trials": [a.trials for a in found.actions],
        "gains": [w.size(a.gain if a.gain is not None else np.nan) for a in found.actions],
    }  # fmt: skip


def proposal_densities(w, seed):
    asked = w.config(trials(seed + 1)[0][0])
    found = hx.proposal_densities(w.study(seed), asked)
    return {
        w.old(c.name): {
            "good": {at: [g, b] for at, g, b in zip(
                [v if isinstance(v, str | bool) else round(v, 9)
                 for v in (w.old_value(w.old(c.name), v) for v in c.values)],
                c.good, c.bad, strict=True)},
        }
        for c in found.curves
    }  # fmt: skip


def noise(w, seed):
    found = hx.noise(w.noisy(seed), kind="gp")
    shares = {} if found.importance is None else by_name(
        w, found.importance.names, found.importance.estimate)  # fmt: skip
    return {
        "pooled": w.size(found.pooled),
        "spread": [w.size(found.spread), w.size(found.at_incumbent)],
        "p": [found.p_value, by_name(w, found.subject.space.names, found.p_values)],
        "shares": shares,
    }


def pareto(w, seed):
    found = hx.pareto(w.two_objectives(seed), kind="forest")
    moves = [
        {n: by_name(w, r.names, (w.change if k == 0 else np.asarray)(r.phi))
         for k, (n, r) in enumerate(zip(found.objectives, move.reasons, strict=True))}
        for move in found.moves
    ]  # fmt: skip
    return {
        "front": [found.trials[found.front], found.ranks],
        "contribution": found.contribution,
        "predicted": w.point(found.predicted[:, 0]),
        "moves": moves,
        # what may be lost is a share of the best value, which is another one of a moved objective
        "claims": [c for c in claims(w, found) if c[0] != "saving"],
    }


def learning_curves(w, seed):
    found = hx.learning_curves(w.with_curves(seed), kind="forest", orders=5, at=[1.0, 5.0])
    return {
        "correlation": [found.correlation, found.lower],
        "regret": w.size(found.pick_regret),
        "replays": {
            replay.label: [*replay.stopped.tolist(), replay.saved, replay.best_stopped]
            for replay in found.replays
        },
        "shares": {k: by_name(w, i.names, i.estimate) for k, i in found.shares.items()},
    }


def compare(w, seed):
    runs = {"one": w.run(seed), "two": w.run(seed + 10)}
    found = hx.compare(runs, kind="gp")
    return {
        "shares": [by_name(w, i.names, i.estimate) for i in found.importances],
        "default": settings(w, found.default.configuration),
        "loss": [found.default.loss, found.default.upper],
        "went": {w.old(n): found.went[:, j] for j, n in enumerate(found.subject.space.names)},
        "claims": claims(w, found),
    }


def history(run, w, kind):
    found = hx.history(run)
    return {"best": w.point(found.best), "learned": w.point(found.learned)}


SAID = {
    "surrogate": predictions,
    "held_out": held_out,
    "trust": trust,
    "importance": importance_of_trees,
    "ablation": ablation,
    "ablation of EI": ablation_of_ei,
    "local_importance": local_importance,
    "lime": lime(),
    "lime of tried values": lime(sampling="univariate"),
    "lime on a grid": lime(sampling="grid"),
    "lime as a tree": lime("tree"),
    "partial_dependence": partial_dependence,
    "accumulated_local_effects": accumulated,
    "regional_partial_dependence": regional,
    "h_statistic": h_statistic,
    "next_experiments": next_experiments,
    "expected_minimum": expected_minimum,
    "tunability": game(hx.tunability),
    "shapley_interactions": interactions("prediction"),
    "explain_prediction": prediction,
    "explain_predictions": prediction_overview,
    "explain_proposal by LCB": proposal("lcb"),
    "explain_proposal by EI": proposal("ei"),
    "explain_proposal by PI": proposal("pi"),
    "footprint": footprint,
    "history": history,
}
SAID_SLOWLY = {
    "desirability_path": desirability_path,
    "importance of what fits": importance_of_what_fits,
    "subspace": subspace,
    "lime by lasso": lime("lasso", "local"),
    "lime by rules": lime("rules"),
    "partial_dependences": partial_dependences,
    "mistunability": game(hx.mistunability),
    "sensitivity": game(hx.sensitivity),
    "optimizer_bias": game(hx.optimizer_bias),
    "shapley_interactions of the variance": interactions("variance"),
    "explain_proposal by log EI": proposal("logei"),
    "explain_proposal by KernelExplainer": proposal("lcb", estimator="kernel"),
    "explain_proposal by sampling": proposal("lcb", estimator="sampling", orders=200),
    "recommended_space": recommended_space,
    "advise": advise,
}
SAID_OF_OTHER_RUNS = {
    "proposal_densities": proposal_densities,
    "noise": noise,
    "pareto": pareto,
    "learning_curves": learning_curves,
    "compare": compare,
}


# ---------------------------------------------------------------------- the same


def leaves(answer, path=()):
    if isinstance(answer, dict):
        parts = answer.items()
    elif isinstance(answer, (list, tuple)) or np.ndim(answer):
        parts = enumerate(answer)
    else:
        yield path, answer
        return
    for key, value in parts:
        yield from leaves(value, (*path, key))


def difference(one, other):
    """The largest difference of numbers, of the largest one beside; infinite where words differ."""
    first, second = dict(leaves(one)), dict(leaves(other))
    if first.keys() != second.keys():
        return np.inf
    beside = {}
    for path, value in first.items():
        if isinstance(value, (str, bool)):
            if value != second[path]:
                return np.inf
        else:
            beside.setdefault(path[0], []).append((float(value), float(second[path])))
    worst = 0.0
    for pairs in beside.values():
        a, b = np.array(pairs).T
        if not np.array_equal(np.isnan(a), np.isnan(b)):
            return np.inf
        size = np.nanmax(np.abs(a), initial=0.0)
        if size > 0.0:
            worst = max(worst, np.nanmax(np.abs(a - b), initial=0.0) / size)
    return worst


def tolerance_of(way):
    """A moved objective tells values to 1e-10, so the place of an optimum to the root of that.

    What varies there with the place, as a standard deviation does, varies by at most 1 within the
    least length-scale, 0.05 of a range: it is told to 20 times as much.
    """
    return 2e-4 if abs(way.shift) >= 1e6 * abs(way.scale) else TOLERANCE


def check(said, way, kind, seed):
    as_it_is = said(AS_IS.run(seed), AS_IS, kind)
    assert difference(as_it_is, said(way.run(seed), way, kind)) < tolerance_of(way)


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("name", SAID)
def test_everything_at_once_changes_no_answer(name, kind):
    check(SAID[name], TOGETHER, kind, seed=0)


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("way", WAYS)
def test_no_way_to_write_a_run_down_changes_what_is_learned(way, kind):
    for seed in (1, 2):
        check(predictions, WAYS[way], kind, seed)


def test_the_comparison_notices_a_difference():
    run = AS_IS.run(0)
    said = predictions(run, AS_IS, "forest")
    assert difference(said, predictions(AS_IS.run(1), AS_IS, "forest")) > 0.1
    shifted = Written(shift=1.0)
    assert difference(said, predictions(run, shifted, "forest")) > 0.1


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("name", {**SAID, **SAID_SLOWLY})
def test_no_way_to_write_a_run_down_changes_an_answer(name, kind, seed):
    for way in WAYS.values():
        check({**SAID, **SAID_SLOWLY}[name], way, kind, seed)


def check_other(said, way, seed):
    assert difference(said(AS_IS, seed), said(way, seed)) < tolerance_of(way)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", SAID_OF_OTHER_RUNS)
def test_nor_is_anything_said_of_noise_curves_and_several_objectives_changed(name, seed):
    for way in WAYS.values():
        check_other(SAID_OF_OTHER_RUNS[name], way, seed)

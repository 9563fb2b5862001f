"""Whether pruned trials would have been the best, on real learning curves whose ends are known.

``python -m tests.claims.pruning`` trains models of scikit-learn to their end, replays pruners on
random parts of them in random orders, and compares the chance that a pruned one would have been the
best with how often one was. The supposed correlation was chosen on `CHOOSE`, nothing on `JUDGE`.
It takes some minutes.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import numpy as np
from sklearn import datasets
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

import hpo_explain as hx
from hpo_explain.methods.runs.replays import PRUNERS, Rule, by_percentile
from tests.analytic import unit_cube
from tests.source_tree import ROOT

EPOCHS = 15
SIZES = (20, 30, 40, 60)  # trials of a run, of 120 models
LATER = "the median pruner after two steps"


def parts_of(X, y, seed):
    return train_test_split(StandardScaler().fit_transform(X), y, test_size=0.35, random_state=seed)


def trained(model, data, i):
    """The error after each epoch of a model that is trained by parts."""
    A, B, a, b = data
    is_class = hasattr(model, "predict_proba") or isinstance(model, SGDClassifier)
    curve = []
    for epoch in range(EPOCHS):
        order = np.random.default_rng(epoch).permutation(len(A))[:200]
        known = {"classes": np.unique(a)} if is_class else {}
        model.partial_fit(A[order], a[order], **known)
        said = model.predict(B)
        curve.append(np.mean(said != b) if is_class else np.mean((said - b) ** 2))
    return curve


def boosted(model, data, i):
    A, B, a, b = data
    model.fit(A, a)
    is_class = isinstance(model, GradientBoostingClassifier)
    said = [*model.staged_predict(B)][2::3]
    return [np.mean(p != b) if is_class else np.mean((p - b) ** 2) for p in said]


def linear(rng, i):
    eta = 10 ** rng.uniform(-4, 0)
    alpha = 10 ** rng.uniform(-6, 0)
    schedule = str(rng.choice(["constant", "optimal", "adaptive"]))
    return SGDClassifier(
        loss="log_loss", alpha=alpha, eta0=eta, learning_rate=schedule, random_state=i
    )


def network(kind, rng, i):
    return kind(
        hidden_layer_sizes=(int(rng.choice([4, 8, 16, 32])),),
        alpha=10 ** rng.uniform(-6, 0),
        learning_rate_init=10 ** rng.uniform(-4, -0.5),
        batch_size=int(rng.choice([16, 64])),
        random_state=i,
    )


def trees(kind, rng, i):
    return kind(
        n_estimators=3 * EPOCHS,
        learning_rate=10 ** rng.uniform(-2.5, 0),
        max_depth=int(rng.integers(1, 6)),
        subsample=rng.uniform(0.3, 1),
        random_state=i,
    )


def standardized(X, y):
    return X, (y - y.mean()) / y.std()


def digits():
    return datasets.load_digits(return_X_y=True)


def diabetes():
    return standardized(*datasets.load_diabetes(return_X_y=True))


def wine():
    return datasets.load_wine(return_X_y=True)


def cancer():
    return datasets.load_breast_cancer(return_X_y=True)


def classes(seed):
    """Data of two or three classes that differ in size, noise and how many columns matter."""
    rng = np.random.default_rng(seed)
    return datasets.make_classification(
        int(rng.integers(250, 500)),
        12,
        n_informative=int(rng.integers(3, 9)),
        n_classes=int(rng.integers(2, 4)),
        flip_y=rng.uniform(0.0, 0.2),
        class_sep=rng.uniform(0.5, 1.5),
        random_state=seed,
    )


def friedman(seed):
    noise = np.random.default_rng(seed).uniform(0.3, 2.0)
    return standardized(*datasets.make_friedman1(300, noise=noise, random_state=seed))


def moons(seed):
    X, y = datasets.make_moons(400, noise=0.3, random_state=seed)
    return np.column_stack([X, X**2, X**3]), y


MODELS = {
    "linear": (trained, linear),
    "network": (trained, lambda rng, i: network(MLPClassifier, rng, i)),
    "trees": (boosted, lambda rng, i: trees(GradientBoostingClassifier, rng, i)),
    "network of numbers": (trained, lambda rng, i: network(MLPRegressor, rng, i)),
    "trees of numbers": (boosted, lambda rng, i: trees(GradientBoostingRegressor, rng, i)),
}
OWN = {
    "linear": [digits, cancer, wine],
    "network": [digits, cancer, wine],
    "trees": [cancer],
    "network of numbers": [diabetes],
    "trees of numbers": [diabetes],
}
"""Data sets that scikit-learn has, for each model."""


def problems(first: int):
    """Problems of each model: data sets of scikit-learn, and data made with every other seed."""
    found = {}
    for model, (learn, make) in MODELS.items():
        data = {f"{name.__name__}": name for name in OWN[model][first::2]}
        makers = [friedman] if model.endswith("numbers") else [classes, moons]
        for maker in makers:
            for seed in range(first, 8, 2):
                data[f"{maker.__name__} {seed}"] = partial(maker, seed)
        found |= {f"{name}, {model}": (of, learn, make) for name, of in data.items()}
    return found


CHOOSE, JUDGE = problems(0), problems(1)


def curves_of(problem, n=120, seed=0):
    """The error of n models after each epoch, (n, epochs)."""
    data, learn, model = problem
    rng = np.random.default_rng(seed)
    parts = parts_of(*data(), seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([learn(model(rng, i), parts, i) for i in range(n)])


def after_two(cost):
    """Optuna's MedianPruner with two warm-up steps."""
    return by_percentile(50.0)(cost[:, 2:]) + 2


RULES: dict[str, Rule] = {**PRUNERS, LATER: after_two}


def told_of(curves, rule: Rule, n: int, rng) -> tuple[float, bool] | None:
    """What is told of a run of n trials that a rule pruned, and what is true; None if not asked."""
    values = curves[rng.choice(len(curves), n, replace=False)]
    last = rule(values)
    end = values.shape[1] - 1
    done = last == end
    if done.all() or done.sum() < 5:
        return None
    seen = np.where(np.arange(end + 1) <= last[:, None], values, np.nan)
    trials, X = np.arange(n), np.linspace(0.0, 1.0, n)[:, None]
    run = hx.Run(
        unit_cube(1),
        X[done],
        values[done, -1],
        "minimize",
        trials=trials[done],
        curves=hx.run.Curves(trials, X, np.arange(end + 1), seen),
        excluded={int(t): hx.run.PRUNED for t in trials[~done]},
    )
    return hx.pruning(run).p_lost, bool(values[~done, -1].min() < values[done, -1].min())


def asked_of(problems, runs: int, seed: int) -> Iterator[tuple[str, str, float, bool]]:
    """Problem, rule, what was told and what is true, of so many runs of each problem and rule."""
    rng = np.random.default_rng(seed)
    for name, problem in problems.items():
        curves = curves_of(problem)
        for rule in RULES:
            for k in range(runs):
                answer = told_of(curves, RULES[rule], SIZES[k % len(SIZES)], rng)
                if answer is not None:
                    yield name, rule, *answer


def table_of(rows) -> str:
    """The mean chance that was told, how often it was true, and Brier's score, by rule."""
    lines = ["| pruner | runs | told | true | Brier | of a constant |", "|---|--:|--:|--:|--:|--:|"]
    for rule in [*RULES, "all"]:
        of_rule = [(p, y) for _, r, p, y in rows if rule in (r, "all")]
        if not of_rule:
            continue
        p, y = np.array(of_rule, dtype=float).T
        brier, constant = np.mean((p - y) ** 2), y.mean() * (1.0 - y.mean())
        lines.append(
            f"| {rule} | {len(p)} | {p.mean():.2f} | {y.mean():.2f} | {brier:.3f} "
            f"| {constant:.3f} |"
        )
    return "\n".join(lines)


def by_chance(rows) -> str:
    """How often it was true, by the chance that was told."""
    lines = ["| chance | runs | told | true |", "|---|--:|--:|--:|"]
    p, y = np.array([(p, y) for _, _, p, y in rows], dtype=float).T
    edges = [0.0, 0.05, 0.2, 0.35, 0.5, 0.8, 1.0]
    for low, high in pairwise(edges):
        inside = (p >= low) & ((p < high) | (high == 1.0))
        if inside.any():
            told, true = p[inside].mean(), y[inside].mean()
            lines.append(f"| {low} to {high} | {inside.sum()} | {told:.2f} | {true:.2f} |")
    return "\n".join(lines)


HEADING = """\
# Would a pruned trial have been the best?

Models of scikit-learn were trained to their end, so that it is known which one is the best. Pruners
were replayed on random parts of them, in random orders; *told* is the chance by `hx.pruning` that a
pruned one would have been the best, *true* how often one was, *Brier* the mean squared difference,
beside that of the best constant. By `python -m tests.claims.pruning --write`.
"""


if __name__ == "__main__":
    text = HEADING
    for title, asked in (("Problems that chose", CHOOSE), ("Problems that judge", JUDGE)):
        rows = [*asked_of(asked, 8, 0)]
        text += f"\n## {title}\n\n{len(rows)} runs of {len(asked)} problems.\n\n"
        text += f"{table_of(rows)}\n\n{by_chance(rows)}\n"
    if "--write" in sys.argv:
        (ROOT / "examples" / "pruning.md").write_text(text, encoding="utf-8")
    else:
        print(text)

"""Ask what makes the best configuration the best, and what matters around it.

python examples/around_the_best.py --calls 20
"""

from __future__ import annotations

import argparse

import skopt

import hpo_explain as hx


def loss(config: list[float]) -> float:
    """Return the loss of one configuration; stands for a training."""
    rate, momentum = config
    return float((rate**0.1 - 0.6) ** 2 + 0.1 * momentum * rate)


def main() -> None:
    """Run scikit-optimize and look around the incumbent."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=20)
    dimensions = [
        skopt.space.Real(1e-5, 1.0, prior="log-uniform", name="rate"),
        skopt.space.Real(0.0, 1.0, name="momentum"),
    ]
    calls = parser.parse_args().calls
    run = hx.from_skopt(skopt.gp_minimize(loss, dimensions, n_calls=calls, random_state=0))

    # from the first trial to the trial to keep
    found = hx.changes(run, 0)
    print(found)
    found.plot(view="path")  # one change after the other
    # from a default of yours
    hx.changes(run, {"rate": 1e-4, "momentum": 0.9})

    print(hx.methods.local_importance(run).sentence)
    print(hx.methods.lime(run).sentence)  # a linear model, with its R²
    hx.methods.lime(run, model="tree").plot()

    # what the optimizer maximized, with what was known when the last trial was proposed
    latest = max(run.proposals)
    hx.methods.local_importance(run, latest, acquisition="auto", before=latest)

    # Shapley values of the prediction, for one configuration and for many
    print(hx.explain_prediction(run).sentence)
    hx.methods.explain_predictions(run, trials=range(5)).plot()


if __name__ == "__main__":
    main()

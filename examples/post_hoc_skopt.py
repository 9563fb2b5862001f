"""Ask why, after a run of scikit-optimize: with its own models and its own acquisition function.

python examples/post_hoc_skopt.py --calls 20
"""

from __future__ import annotations

import argparse

import skopt

import hpo_explain as hx


def loss(point: list[float]) -> float:
    """Return the loss of one configuration."""
    rate, layers = point
    return float((rate**0.1 - 0.5) ** 2 + 0.02 * (layers - 3) ** 2)


def main() -> None:
    """Minimize, then explain."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=20)
    options = parser.parse_args()
    space = [
        skopt.space.Real(1e-5, 1e-1, prior="log-uniform", name="learning_rate"),
        skopt.space.Integer(1, 6, name="layers"),
    ]
    result = skopt.gp_minimize(
        loss, space, n_calls=options.calls, n_initial_points=8, acq_func="LCB", random_state=0
    )

    run = hx.from_skopt(result)
    explanation = hx.explain_proposal(run, "latest")
    print(explanation.sentence)
    print(explanation.to_frame().round(4))
    path = hx.methods.desirability_path(run, background=200)
    print(path.predictions().round(4).tail())
    path.plot()


if __name__ == "__main__":
    main()

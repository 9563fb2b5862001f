"""What the frameworks return is explained and reported; run in an installation as a script.

Its argument is the installation's folder.
"""

import sys
from pathlib import Path

import numpy as np
import optuna
import skopt

import hpo_explain as hx
from hpo_explain.reporting import BRIEF


def loss(lr: float, momentum: float) -> float:
    return (np.log10(lr) + 2.0) ** 2 + momentum


def study(sampler: optuna.samplers.BaseSampler) -> optuna.Study:
    found = optuna.create_study(sampler=sampler)
    found.optimize(
        lambda trial: loss(
            trial.suggest_float("lr", 1e-4, 1.0, log=True),
            trial.suggest_float("momentum", 0.0, 1.0),
        ),
        n_trials=20,
    )
    return found


def minimized(minimize):
    lr = skopt.space.Real(1e-4, 1.0, prior="log-uniform", name="lr")
    momentum = skopt.space.Real(0.0, 1.0, name="momentum")
    return minimize(lambda x: loss(*x), [lr, momentum], n_calls=14, random_state=0)


def main(installed: Path) -> None:
    assert Path(hx.__file__).is_relative_to(installed)
    for name, run in {
        "TPESampler": hx.from_optuna(study(optuna.samplers.TPESampler(seed=0))),
        "RandomSampler": hx.from_optuna(study(optuna.samplers.RandomSampler(seed=0))),
        "gp_minimize": hx.from_skopt(minimized(skopt.gp_minimize)),
        "forest_minimize": hx.from_skopt(minimized(skopt.forest_minimize)),
    }.items():
        explanation = hx.explain_proposal(run)
        assert name in explanation.optimizer
        total = explanation.contributions["total"].sum()
        np.testing.assert_allclose(total, explanation.payout["total"], rtol=1e-9)  # efficiency
        page = hx.report(run, f"{name}.html", sections=BRIEF).read_text(encoding="utf-8")
        assert "lr" in page
        assert "momentum" in page


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Ask why a configuration was proposed, and compare it with other things.

Optuna's TPE draws candidates from a density l of the good trials and takes the one with the largest
log l − log g, where g is the density of all other trials. Exactly that number is divided among the
hyperparameters.

    python examples/why_this_proposal.py --trials 40
"""

from __future__ import annotations

import argparse

import optuna

import hpo_explain as hx


def loss(trial: optuna.Trial) -> float:
    """Return the loss of one configuration; stands for a training."""
    rate = trial.suggest_float("learning_rate", 1e-5, 1e-1, log=True)
    layers = trial.suggest_int("layers", 1, 6)
    dropout = trial.suggest_float("dropout", 0.0, 0.6)
    return float((rate**0.1 - 0.5) ** 2 + 0.02 * (layers - 3) ** 2 + 0.1 * dropout)


def main() -> None:
    """Run a study and ask why."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=40)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(loss, n_trials=parser.parse_args().trials)
    run = hx.from_optuna(study)  # sampler= names the sampler of a study loaded from a storage
    print(run)

    explanation = hx.explain_proposal(run)  # trial=39, "latest", "best" or "best-predicted"
    print(explanation)
    explanation.plot().figure.savefig("why.svg")

    # before it is paid for: a trial that is asked for, or a configuration of your own
    trial = study.ask(study.best_trial.distributions)
    print(hx.explain_proposal(study, trial).sentence)  # or "pending"
    mine = {"learning_rate": 1e-3, "layers": 2, "dropout": 0.1}
    print(hx.explain_proposal(study, mine).sentence)

    # compared with something else than the whole space
    # the candidates that TPE itself compared
    hx.explain_proposal(run, background="candidates")
    hx.explain_proposal(run, background="local")  # what lies around it
    hx.explain_proposal(run, background="incumbent")  # the best known by then
    hx.explain_proposal(run, background=mine)

    # through another criterion, model or estimator
    print(hx.explain_proposal(run, acquisition="lcb").sentence)
    hx.explain_proposal(run, surrogate=run.surrogate(kind="gp"))
    sampled = hx.explain_proposal(run, estimator="sampling", orders=200)
    print(hx.methods.check_sample_size(sampled).sentence)

    # TPE's densities, and how they moved
    hx.methods.proposal_densities(run).plot()
    hx.methods.density_path(run, "learning_rate").plot()

    # the same for every proposal, each with the model of its own iteration
    last = sorted(run.proposals)[-4:]
    path = hx.methods.desirability_path(run, last, acquisition="lcb", progress=False)
    print(path.sentence)
    print(path.turning_points(), path.balance())
    print(path.predictions())


if __name__ == "__main__":
    main()

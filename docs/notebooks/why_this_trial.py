"""
Why did the optimizer try this?
===============================

A proposal of a model-based optimizer has reasons: an acquisition function that is large there.
Shapley values share these reasons out among the hyperparameters.
"""

# %%
# A study to ask: a support vector machine, tuned by Optuna. Put your own in its place.

import optuna
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import hpo_explain as hx

X, y = load_wine(return_X_y=True)


def accuracy(trial):
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=trial.suggest_categorical("kernel", ["rbf", "sigmoid"]),
    )
    return cross_val_score(make_pipeline(StandardScaler(), svc), X, y).mean()


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(
    direction="maximize", sampler=optuna.samplers.TPESampler(seed=0)
)
study.optimize(accuracy, n_trials=40)

# %%
# One trial
# ---------
# Optuna's TPE prefers values that are common among good trials (l) and rare among the others (g).
# Each bar is what one value added to log l, or to -log g, beyond an average configuration.

last = len(study.trials) - 1
why = hx.explain_proposal(study, trial=last)
print(why.sentence)
why.plot()

# %%
# The densities themselves
# ------------------------

hx.methods.proposal_densities(study, trial=last).plot()

# %%
# How the reasons changed
# -----------------------
# A line that rises during the run belongs to a hyperparameter that the optimizer has learned to
# use.

hx.methods.desirability_path(study, progress=False).plot()

# %%
# Why not another one?
# --------------------
# Any configuration can be asked about, also one that a person would have tried.

other = {"C": 1.0, "gamma": 0.1, "kernel": "rbf"}
print(hx.explain_proposal(study, other).sentence)

"""
Which of the changes against a default did it?
==============================================

The best configuration differs from the default in everything. Which of these changes are needed,
and which only made the configuration longer?
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
# The fewest changes that keep the gain
# -------------------------------------
# Here 95 % of it.

default = {"C": 1.0, "gamma": 0.001, "kernel": "sigmoid"}
found = hx.changes(study, default)
print(found.sentence)
print("changed:", found.changed)
print("put back:", found.put_back)
found.plot()

# %%
# The same as a path
# ------------------
# One change after the other, always the one that helps most after those above it.

hx.methods.ablation(study, source=default).plot()

# %%
# What could tuning gain at all?
# ------------------------------
# Over the default, by each hyperparameter, and by two together: what is worth tuning next time.

tunable = hx.methods.tunability(study, default)
print(tunable.sentence)
tunable.plot()

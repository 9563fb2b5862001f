"""
Where should the search go on, and with which trials?
=====================================================

An explanation is worth most before the next trials are paid for. Here advice is taken, applied, and
looked at again.
"""

# %%
# A study to ask: 40 trials of a support vector machine on the wine data, by Optuna's TPE.

import optuna
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import hpo_explain as hx

STORAGE = "sqlite:///study.db"  # or yours
study = optuna.load_study(
    study_name="svm", storage=STORAGE, sampler=optuna.samplers.TPESampler(seed=0)
)

# %%
# What to leave out
# -----------------
# With 95 % probability, the remaining space holds a configuration as good as the best, up to the
# stated loss.

space = hx.recommended_space(study)
print(space.sentence)
space.plot()

# %%
# What to do
# ----------
# A few actions, the one with the largest expected gain first. Each has its evidence and code to
# paste.

advice = hx.advise(study)
print(advice.sentence)
for action in advice.actions:
    print(f"- {action.kind} {action.values}: gain {action.gain:.4f}, certain: {action.certain}")

# %%
# Do it
# -----
# The new study has all old trials and starts with the advised configurations. The objective is the
# same.

X, y = load_wine(return_X_y=True)


def accuracy(trial):
    svc = SVC(
        C=trial.suggest_float("C", 1e-3, 1e3, log=True),
        gamma=trial.suggest_float("gamma", 1e-5, 1e1, log=True),
        kernel=trial.suggest_categorical("kernel", ["rbf", "sigmoid"]),
    )
    return cross_val_score(make_pipeline(StandardScaler(), svc), X, y).mean()


advised = advice.apply(study)
advised.optimize(accuracy, n_trials=10)
print(f"best before {study.best_value:.4f}, after {advised.best_value:.4f}")

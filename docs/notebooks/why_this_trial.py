"""
Why did the optimizer try this?
===============================

A proposal of a model-based optimizer has reasons: an acquisition function that is large there.
Shapley values share these reasons out among the hyperparameters.
"""

# %%
# A study to ask: 40 trials of a support vector machine on the wine data, by Optuna's TPE.

import optuna

import hpo_explain as hx

STORAGE = "sqlite:///study.db"  # or yours
study = optuna.load_study(study_name="svm", storage=STORAGE)

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
# You can ask about any configuration.

other = {"C": 1.0, "gamma": 0.1, "kernel": "rbf"}
print(hx.explain_proposal(study, other).sentence)

"""
Which of the changes against a default did it?
==============================================

The best configuration differs from the default in everything. Which of these changes are needed,
and which only made the configuration longer?
"""

# %%
# A study to ask: 40 trials of a support vector machine on the wine data, by Optuna's TPE.

import optuna

import hpo_explain as hx

STORAGE = "sqlite:///study.db"  # or yours
study = optuna.load_study(study_name="svm", storage=STORAGE)

# %%
# The fewest changes that keep the gain
# -------------------------------------
# They keep 95 % of it.

default = {"C": 1.0, "gamma": 0.001, "kernel": "sigmoid"}
found = hx.changes(study, default)
print(found.sentence)
print("changed:", found.changed)
print("put back:", found.put_back)
found.plot()

# %%
# The same as a path
# ------------------
# One change after the other; each step is the one that gains most after those above it.

found.plot(view="path")

# %%
# What could tuning gain at all?
# ------------------------------
# The gain over the default by each hyperparameter and each pair shows what is worth tuning.

tunable = hx.methods.tunability(study, default)
print(tunable.sentence)
tunable.plot()

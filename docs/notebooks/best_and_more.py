"""
Where is the best, and is there more to get?
============================================

A study ends with a best trial. Was it the best configuration, or the luckiest one? And would
further trials find a better one?
"""

# %%
# A study to ask: 40 trials of a support vector machine on the wine data, by Optuna's TPE.

import optuna

import hpo_explain as hx

STORAGE = "sqlite:///study.db"  # or yours
study = optuna.load_study(study_name="svm", storage=STORAGE)

# %%
# The best trial
# --------------
# The objective of each trial. A line that stays flat means that the search has converged or that it
# is stuck; the figure does not show which.

hx.history(study).plot()

# %%
# Where the best value of each hyperparameter lies
# ------------------------------------------------
# Many functions fit the trials as well as the noise allows. The curve shows where each of them has
# its best configuration. ``bounds=`` is the range of an accuracy.

best = hx.optimum(study, bounds=(0, 1))
print(best.sentence)
best.plot()

# %%
# Is there more to get?
# ---------------------
# The probability that something is clearly better than the trial to keep, and the expected gain of
# 20 more trials.

print(f"P(better than trial {best.keep} by {best.epsilon:.4f}) = {best.p_better:.2f}")
print(f"expected gain of 20 trials: {best.expected_gain:.4f}")
print("expected to be best:", best.config)

# %%
# How reliable is this?
# ---------------------
# If the reliability is poor, the curves above describe the model rather than the objective.

print(hx.trust(study, bounds=(0, 1)).sentence)

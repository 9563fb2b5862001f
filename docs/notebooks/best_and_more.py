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
# What was reached, trial by trial. A line that is flat for long says that the search has
# converged, or that it is stuck; the picture does not tell these apart.

hx.history(study).plot()

# %%
# Where the best value of each hyperparameter lies
# ------------------------------------------------
# Many functions go through the trials as well as the noise allows. Each of them has its best
# configuration somewhere: the curve says where. ``bounds=`` is what an accuracy cannot leave.

best = hx.optimum(study, bounds=(0, 1))
print(best.sentence)
best.plot()

# %%
# Is there more to get?
# ---------------------
# How probable it is that something is better than the trial to keep by more than what counts, and
# what 20 further trials are expected to gain.

print(f"P(better than trial {best.keep} by {best.epsilon:.4f}) = {best.p_better:.2f}")
print(f"expected gain of 20 trials: {best.expected_gain:.4f}")
print("expected to be best:", best.config)

# %%
# How far to believe it
# ---------------------
# Where trust is poor, the curves above are about the model rather than about the objective.

print(hx.trust(study, bounds=(0, 1)).sentence)

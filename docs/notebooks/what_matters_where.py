"""
What matters: over the whole space, and among the best?
=======================================================

Two different questions have two different answers. Over the whole space it matters what keeps a
search out of bad regions; among good configurations other hyperparameters may decide.
"""

# %%
# A study to ask: 40 trials of a support vector machine on the wine data, by Optuna's TPE.

import optuna

import hpo_explain as hx

STORAGE = "sqlite:///study.db"  # or yours
study = optuna.load_study(study_name="svm", storage=STORAGE)

# %%
# Over the whole space
# --------------------
# The share of the variance that each hyperparameter explains, alone and in pairs, with a 95 %
# interval.

everywhere = hx.importance(study, order=2)
print(everywhere.sentence)
everywhere.plot()

# %%
# For being among the best
# ------------------------
# What decides whether a configuration is among the best 10 %.

among_best = hx.importance(study, top=0.1)
print(among_best.sentence)
among_best.plot()

# %%
# How sure is the order?
# ----------------------

print(f"P(C matters more than gamma) = {everywhere.probability('C', 'gamma'):.2f}")
print(f"P(gamma decides the best)    = {among_best.probability('gamma'):.2f}")

# %%
# Which values are good?
# ----------------------
# The effects show this: what a value can reach with all others at their best, and (dashed) the
# average over the others.

hx.partial_dependence(study).plot()

# %%
# How do two interact?
# --------------------

hx.partial_dependence(study, ("C", "gamma")).plot()

# %%
# Where does an effect differ?
# ----------------------------
# An average hides effects that differ between regions. The space is split where the shape of the
# effect certainly differs; otherwise it stays whole.

by_shape = hx.partial_dependence(study, "gamma", regions=True, criterion="interaction")
print(by_shape.sentence)
by_shape.plot()

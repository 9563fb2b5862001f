"""The catalog: one entry a method, in the order of the guide."""

from hpo_explain.catalog.entry import Method

# Topic: runs.

HISTORY = Method(
    name="history",
    module="hpo_explain.methods.runs.history",
    asks="What did each trial reach, and when was the best found?",
    limits="says what was observed: the best of noisy results is better than its average",
)
TRUST = Method(
    name="trust",
    module="hpo_explain.methods.runs.trust",
    asks="How well is the objective known?",
    limits="expects of the objective that it is as rough where nothing was tried as elsewhere",
    title="How well is the objective known?",
    how_to_read="Many functions go through the trials as well as noise allows. The further their "
    "mean is expected to be from each of them, the less is known: R² and the rank correlation are "
    "those that it is expected to have with the objective itself.",
)
NOISE = Method(
    name="noise",
    module="hpo_explain.methods.runs.noise",
    asks="Where do results scatter, and what does that depend on?",
    limits="needs configurations that were evaluated several times (repeats, folds); where few "
    "were, only large differences can be told",
    title="Where do results scatter?",
    how_to_read="A dot is the standard deviation of the results of one configuration that was "
    "evaluated several times. Where it is large, one good result says little, and another "
    "evaluation of the same configuration may differ.",
)
LEARNING_CURVES = Method(
    name="learning_curves",
    module="hpo_explain.methods.runs.learning_curves",
    asks="How early is the final rank of a trial known, and what would stopping it early cost?",
    limits="ranks and losses are those of finished trials, noise included; a pruner would also "
    "change which trials are proposed",
    title="How early is the final rank known?",
    how_to_read="The line is the rank correlation of what trials reported at a step with their "
    "final values: 1 where they are in their final order. A pruner that stops trials where it is "
    "low stops good ones. Pruners are replayed on the trials that reported values: what they save, "
    "how much worse the best trial is that they leave, and how often they stop the best in other "
    "orders of the same trials.",
    needs="curves",
)
COMPARE = Method(
    name="compare",
    module="hpo_explain.methods.runs.compare",
    asks="What do several runs (seeds, data sets) share, and what is good in all of them?",
    limits="needs a trusted model of each run; of other spaces only what all have is compared",
)
PARETO = Method(
    name="pareto",
    module="hpo_explain.methods.runs.pareto",
    objectives=True,
    asks="Which trials are best in several objectives, and what does moving between them cost?",
    limits="says what the models expect of a move; a trial on the front may be there by luck",
)

# Topic: proposals.

EXPLAIN_PROPOSAL = Method(
    name="explain_proposal",
    module="hpo_explain.methods.proposals.explain_proposal",
    result="hpo_explain.methods.proposals.contributions",
    asks="Why did the optimizer try this configuration?",
    limits="explains what the optimizer's model expected, not whether it was right",
)
DESIRABILITY_PATH = Method(
    name="desirability_path",
    module="hpo_explain.methods.proposals.desirability_path",
    asks="How did these reasons change during the run?",
    limits="does not say which trials other reasons would have led to",
)
PROPOSAL_DENSITIES = Method(
    name="proposal_densities",
    module="hpo_explain.methods.proposals.densities",
    asks="Why did Optuna's TPE propose these values?",
    limits="only proposals of TPE, whose densities know nothing of the objective's size",
)
DENSITY_PATH = Method(
    name="density_path",
    module="hpo_explain.methods.proposals.densities",
    asks="How did TPE's densities of a hyperparameter change during the run?",
    limits="only proposals of TPE, one hyperparameter at a time",
)

# Topic: importance.

IMPORTANCE = Method(
    name="importance",
    module="hpo_explain.methods.importance.importance",
    result="hpo_explain.methods.importance.fanova",
    title="What matters?",
    how_to_read="A bar is the share of the variance of the predicted objective, over the whole "
    "search space, that a hyperparameter explains alone, without the noise of the trials. Its "
    "whisker is a 95% interval over functions that the trials allow. A hatched bar is an "
    "interaction: what hyperparameters explain together, beyond what each explains alone.",
    asks="What does the objective depend on, over the whole space?",
    limits="does not say which values are good, or what matters near the best configuration",
)
H_STATISTIC = Method(
    name="h_statistic",
    module="hpo_explain.methods.importance.h_statistic",
    title="Which hyperparameters act together?",
    how_to_read="A bar is the share of the joint effect of two hyperparameters, one of them that "
    "which matters most alone, that is beyond the sum of their own effects. A long one says that "
    "the best value of one depends on that of the other. It is relative: where both hardly matter, "
    "a long bar means little.",
    asks="Which hyperparameters act together?",
    limits="does not say how (draw the partial dependence of the pair); H can be large for a pair "
    "that hardly matters",
)
SHAPLEY_INTERACTIONS = Method(
    name="shapley_interactions",
    module="hpo_explain.methods.importance.shapley_interactions",
    result="hpo_explain.methods.importance.sets",
    asks="What do hyperparameters do together at one configuration?",
    limits="explains the model's prediction (or the acquisition) there, not what matters "
    "elsewhere; with more than 11 hyperparameters those that contribute least play as one",
)
TUNABILITY = Method(
    name="tunability",
    module="hpo_explain.methods.importance.tunability",
    result="hpo_explain.methods.importance.sets",
    asks="What can tuning gain over a default, and which hyperparameters are worth it?",
    limits="what the model predicts: the best values of a set that hardly any trial tried may be "
    "too good",
)
MISTUNABILITY = Method(
    name="mistunability",
    module="hpo_explain.methods.importance.tunability",
    result="hpo_explain.methods.importance.sets",
    asks="What can wrong values lose against a default?",
    limits="what the model predicts; values that nobody would choose count as well",
)
SENSITIVITY = Method(
    name="sensitivity",
    module="hpo_explain.methods.importance.tunability",
    result="hpo_explain.methods.importance.sets",
    asks="How much does the objective vary with hyperparameters around a default?",
    limits="depends on the default (`hx.importance` averages over the others)",
)
OPTIMIZER_BIAS = Method(
    name="optimizer_bias",
    module="hpo_explain.methods.importance.tunability",
    result="hpo_explain.methods.importance.sets",
    sources=("ensemble",),
    asks="Which hyperparameters did the optimizer leave short of what they can gain?",
    limits="by the model that learned from the same run, unless other runs are given (`ensemble=`)",
)

# Topic: effects.

PARTIAL_DEPENDENCE = Method(
    name="partial_dependence",
    module="hpo_explain.methods.effects.partial_dependence",
    result="hpo_explain.methods.effects.effect",
    asks="What is the effect of a hyperparameter, and how uncertain is it?",
    limits="an average: opposite effects in different parts of the space cancel out",
)
ACCUMULATED_LOCAL_EFFECTS = Method(
    name="accumulated_local_effects",
    module="hpo_explain.methods.effects.accumulated_local_effects",
    result="hpo_explain.methods.effects.effect",
    asks="What changes along the configurations that were tried, where combinations are missing?",
    limits="relative to their average; does not say what combinations would do that nobody tried",
)

PARTIAL_DEPENDENCES = Method(
    name="partial_dependences",
    module="hpo_explain.methods.importance.partial_dependences",
    result="hpo_explain.methods.effects.partial_dependences",
    asks="What are the effects of all that matters, in one figure?",
    limits="averages, as each of them; what matters is judged by the same model",
)
REGIONAL_PARTIAL_DEPENDENCE = Method(
    name="regional_partial_dependence",
    module="hpo_explain.methods.effects.regional_partial_dependence",
    asks="Where is the model certain of such an effect?",
    limits="the effect stays uncertain where hardly anything was tried",
)

# Topic: around.

ABLATION = Method(
    name="ablation",
    module="hpo_explain.methods.around.ablation",
    folded=False,
    asks="Which changes lead from the default to the best configuration?",
    limits="where changes act together, the gain of each depends on their order (its Shapley value "
    "does not)",
    options={"source": "--from", "target": "--to"},
    title="Which changes made the difference?",
    how_to_read="From top to bottom one value after the other is changed, always the one that "
    "helps most; the length of a stair is what it gains. Where changes act together, the hatched "
    "bars, averages over all orders, are the fair shares.",
)

EXPLAIN_PREDICTION = Method(
    name="explain_prediction",
    module="hpo_explain.methods.proposals.explain_prediction",
    result="hpo_explain.methods.proposals.contributions",
    asks="Why is this objective predicted for a configuration, or for many?",
    limits="does not say what a change of the configuration would do (for many configurations: "
    "`hx.explain_predictions`)",
)
EXPLAIN_PREDICTIONS = Method(
    name="explain_predictions",
    module="hpo_explain.methods.proposals.explain_prediction",
    result="hpo_explain.methods.proposals.explain_predictions",
    asks="Why are these objectives predicted, for many configurations at once?",
    limits="averages hide opposite contributions: look at single ones with `hx.explain_prediction`",
)
LOCAL_IMPORTANCE = Method(
    name="local_importance",
    module="hpo_explain.methods.around.local_importance",
    asks="What matters around the best configuration?",
    limits="does not say in which direction, or what two changes do together",
    title="What matters around the best configuration?",
    how_to_read="All values stay those of the best configuration but one, which takes all of its "
    "values in turn: a long bar says that the prediction depends much on this hyperparameter here. "
    "What matters over the whole space may matter little here, and the other way round.",
)
LIME = Method(
    name="lime",
    module="hpo_explain.methods.around.lime",
    asks="What changes the prediction here, in a model I can read?",
    limits="holds within the width of its kernel, and only as far as its R² says",
    title="What would change the prediction?",
    how_to_read="A bar is how much the prediction changes, by a linear model fitted around the "
    "best configuration, when a number goes from one end of its range to the other or a category "
    "is replaced by another one. R² says how well that model agrees with the surrogate: near 1 the "
    "bars can be interpreted, below one half they cannot.",
)

# Topic: space.

RECOMMENDED_SPACE = Method(
    name="recommended_space",
    module="hpo_explain.methods.space.recommended_space",
    asks="Which values can be left out of the search?",
    limits="what is left holds a configuration near the best with 95 %, not the best one; few or "
    "noisy trials narrow little",
    title="Which values can be left out?",
    how_to_read="A bar is what stays of a hyperparameter's values, along its own scale. Together "
    "they hold, with 95 % probability, a configuration that is as good as the best up to what the "
    "sentence says.",
)
SUBSPACE = Method(
    name="subspace",
    module="hpo_explain.methods.space.subspace",
    asks="Which hyperparameters can stay fixed?",
    limits="only what the model is certain of, so few trials fix little",
    title="What can stay fixed?",
    how_to_read="Bars are what the first hyperparameter, the first two, and so on explain together "
    "of what varies among good configurations. That says where the objective varies; what can stay "
    "at the best configuration's values is judged apart, by what can still be gained.",
)
FOOTPRINT = Method(
    name="footprint",
    module="hpo_explain.methods.space.footprint",
    asks="Which part of the space was explored, and what is predicted elsewhere?",
    limits="a map of many dimensions in two: neighbours on it may be far apart (its stress says "
    "how far it is off)",
)

# Topic: advice.

ADVISE = Method(
    name="advise",
    module="hpo_explain.methods.advice.advise",
    asks="What should be done next?",
    limits="gains are what the trials allow to expect, with a probability; an optimum where nobody "
    "looked is not foreseen",
)
NEXT_EXPERIMENTS = Method(
    name="next_experiments",
    module="hpo_explain.methods.advice.next_experiments",
    command=None,  # configurations, no result
    asks="Which trials would reduce the uncertainty of an effect?",
    limits="does not say where the best configuration is",
)
EXPECTED_MINIMUM = Method(
    name="expected_minimum",
    module="hpo_explain.methods.advice.expected_minimum",
    command=None,  # a configuration and a number, no result
    asks="Which configuration does the model predict to be the best, tried or not?",
    limits="the best of many predictions promises too much, the more the fewer trials are near",
)

METHODS = tuple(entry for entry in globals().copy().values() if isinstance(entry, Method))

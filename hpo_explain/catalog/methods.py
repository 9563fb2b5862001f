"""The catalog: one entry a method, in the order of the guide."""

from hpo_explain.catalog.entry import Method

# Topic: runs.

SUMMARY = Method(
    name="summary",
    top=True,
    module="hpo_explain.methods.advice.summary",
    asks="How good is it, what matters, where to search, what to try, how reliable is that?",
    limits="five lines: the functions that they come from say how sure each is",
    title="In short",
    how_to_read="Two bars a hyperparameter: what it explains of the variation over the whole "
    "space, and of the difference between the best 10% and the rest. Where the second is longer, "
    "it matters for fine-tuning.",
)
HISTORY = Method(
    name="history",
    top=True,
    module="hpo_explain.methods.runs.history",
    asks="What did each trial reach, and when was the best found?",
    limits="says what was observed: the best of noisy results is better than its average",
    title="Trials",
    how_to_read="Every mark is a trial; the line is the best so far. Choose one, or go from one to "
    "the next with the arrow keys: beside it stand its values and, where a model chose it, what "
    "they were worth to that model. Bars to the right spoke for a value, bars to the left against "
    "it.",
)
TRUST = Method(
    name="trust",
    top=True,
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
LUCK = Method(
    name="luck",
    module="hpo_explain.methods.runs.luck",
    asks="Was the best trial lucky, and does another metric rank the trials as the objective does?",
    limits="noise is told by repeats where there are any, else by the model",
    title="Was the best one lucky?",
    how_to_read="A star is what was observed of one of the best trials. A dot is what it would "
    "have on average if it were evaluated again, with its 95% interval.",
)
PRUNING = Method(
    name="pruning",
    top=True,
    module="hpo_explain.methods.runs.pruning",
    asks="Why were trials pruned, what did that save, and what may it have lost?",
    limits="judged by ranks at the step; pruners are replayed on finished trials only",
    title="What did pruning save and lose?",
    how_to_read="Faint lines are the finished trials, colored ones the pruned; a trial is pruned "
    "where it is worse than those before. The chance that it would have been the best follows from "
    "how far the finished ones still changed their ranks.",
    needs="curves",
)
TIMELINE = Method(
    name="timeline",
    module="hpo_explain.methods.runs.timeline",
    asks="When did trials run, and how much time did failed and pruned ones take?",
    limits="a row is not a machine: which worker ran a trial is not recorded",
    title="When did the trials run?",
    how_to_read="A bar is a trial, from its start to its finish. Trials that ran at the same time "
    "stand in different rows: gaps are workers that waited.",
    needs="is_timed",
    for_assistants=False,
)
COMPARE = Method(
    name="compare",
    top=True,
    module="hpo_explain.methods.runs.compare",
    asks="What do several runs (seeds, data sets) share, and what is good in all of them?",
    limits="needs a trusted model of each run; of other spaces only what all have is compared",
    title="What do the runs have in common?",
    how_to_read="A bar is the share of the variance that a hyperparameter explains on average over "
    "the runs, a dot that in one run. Runs that differ in their seed only show how far an "
    "explanation depends on chance.",
)
PARETO = Method(
    name="pareto",
    top=True,
    module="hpo_explain.methods.runs.pareto",
    asks="Which trials are best in several objectives, and what does moving between them cost?",
    limits="says what the models expect of a move; a trial on the front may be there by luck",
    title="Which trials are best, and what does one objective cost in another?",
    how_to_read="No other trial is better in all objectives than one on the front. A "
    "hyperparameter whose bars point both ways is what one objective is bought with in the other.",
)

# Topic: proposals.

EXPLAIN_PROPOSAL = Method(
    name="explain_proposal",
    top=True,
    module="hpo_explain.methods.proposals.explain_proposal",
    result="hpo_explain.methods.proposals.contributions",
    asks="Why did the optimizer try this configuration?",
    limits="explains what the optimizer's model expected, not whether it was right",
    title="Why the latest proposal?",
    how_to_read="An optimizer with a model tries what looks most desirable to that model; the bars "
    "divide how much more desirable this configuration looked than an average one among its "
    "hyperparameters. Bars to the right spoke for the proposed value, bars to the left against it. "
    "Their parts are the predicted objective and its uncertainty, of TPE how common the value is "
    "among good trials and how rare among the others.",
    needs="proposes",
)
DESIRABILITY_PATH = Method(
    name="desirability_path",
    module="hpo_explain.methods.proposals.desirability_path",
    asks="How did these reasons change during the run?",
    limits="does not say which trials other reasons would have led to",
    title="How did the reasons change?",
    how_to_read="Each panel follows one hyperparameter from proposal to proposal: above zero its "
    "proposed value made the configuration more desirable than an average one, below zero less. "
    "What weighs much here may matter little to the objective, and the other way round.",
    needs="proposes",
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
    top=True,
    module="hpo_explain.methods.importance.importance",
    result="hpo_explain.methods.importance.fanova",
    title="What matters?",
    how_to_read="A bar is the share of the variance of the predicted objective, over the whole "
    "search space, that a hyperparameter explains alone, without the noise of the trials; the pale "
    "bar behind it is its share with all interactions, by which rows are in order. Its whisker is "
    "a 95% interval over functions that the trials allow. A hatched bar is an interaction: what "
    "hyperparameters explain together, beyond what each explains alone.",
    asks="What does the objective, or (top=0.1) being among the best, depend on?",
    limits="does not say which values are good, or what matters near the best configuration; what "
    "decides the best is less certain than what decides the objective, and a forest does not know",
)
H_STATISTIC = Method(
    name="h_statistic",
    module="hpo_explain.methods.importance.h_statistic",
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
    asks="What do hyperparameters do together at one configuration?",
    limits="explains the model's prediction (or the acquisition) there, not what matters "
    "elsewhere; with more than 11 hyperparameters those that contribute least play as one",
)
TUNABILITY = Method(
    name="tunability",
    module="hpo_explain.methods.importance.tunability",
    asks="What can tuning gain over a default, wrong values lose, or the optimizer have missed?",
    limits="what the model predicts: the best values of a set that hardly any trial tried may be "
    "too good, and values that nobody would choose count as well",
)

# Topic: effects.

PARTIAL_DEPENDENCE = Method(
    name="partial_dependence",
    top=True,
    module="hpo_explain.methods.effects.effects",
    result="hpo_explain.methods._engines.effect",
    asks="What is the effect of a hyperparameter, a pair or all that matter?",
    limits="an average: opposite effects in different parts of the space cancel out (`regions=`, "
    '`criterion="interaction"`); also over combinations that nobody tried (`kind="accumulated"` is '
    "not)",
    title="How does it matter?",
    how_to_read="A line or point is what is predicted for a value: blue what it can reach with all "
    "others at their best, dashed (or diamonds) the average over them. Dots are the trials, bands "
    "what these allow. Green marks values that may be the best; where it is pale, few trials are "
    "near.",
)

SLICES = Method(
    name="slices",
    module="hpo_explain.methods.effects.slices",
    asks="What did trials reach along each hyperparameter, and what can be reached there?",
    limits="trials differ in all other hyperparameters, too, which may be why they are worse along "
    "one (the curve holds the others at their best)",
    how_to_read="A point is a trial, hollow ones are early, black ones late; marks at the end of "
    "an axis have no result. The curve is the best that is expected at a value with all others at "
    "their best: trials far from it had others that were not.",
    for_assistants=False,
)
CONTOURS = Method(
    name="contours",
    module="hpo_explain.methods.effects.contours",
    asks="Which values of each pair of hyperparameters are good, and where are no trials?",
    limits="an average over all others, of the pairs of what matters most alone: what acts "
    "together need not be among them (`hx.methods.h_statistic`)",
    how_to_read="A panel is a pair. Its colors are the objective that is predicted on average over "
    "all others; where it is pale, few trials are near. Orange points are the best tenth of the "
    "trials, white ones the others, crosses those that failed.",
    for_assistants=False,
)

# Topic: around.

CHANGES = Method(
    name="changes",
    top=True,
    module="hpo_explain.methods.around.changes",
    asks="Which changes to the default account for the improvement, and which can be undone?",
    limits="compares with the best configuration that was tried; to reach an objective, it looks "
    "at values of trials only",
    title="Which changes made the difference?",
    how_to_read="A bar is what one change brings, averaged over the orders in which the changes "
    "can be made; its whisker is a 95% interval. Changes that are not needed are pale: they can be "
    "put back, and the gain stays.",
)

EXPLAIN_PREDICTION = Method(
    name="explain_prediction",
    top=True,
    module="hpo_explain.methods.proposals.explain_prediction",
    result="hpo_explain.methods.proposals.contributions",
    asks="Why is this objective predicted for a configuration, or for many?",
    limits="does not say what a change of the configuration would do (for many configurations: "
    "`hx.methods.explain_predictions`)",
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
    how_to_read="All values stay those of the best configuration but one, which takes all of its "
    "values in turn: a long bar says that the prediction depends much on this hyperparameter here. "
    "What matters over the whole space may matter little here, and the other way round.",
)
LIME = Method(
    name="lime",
    module="hpo_explain.methods.around.lime",
    asks="What changes the prediction here, in a model that is easy to read?",
    limits="holds within the width of its kernel, and only as far as its R² says",
    how_to_read="A bar is how much the prediction changes, by a linear model fitted around the "
    "best configuration, when a number goes from one end of its range to the other or a category "
    "is replaced by another one. R² says how well that model agrees with the surrogate: near 1 the "
    "bars can be interpreted, below one half they cannot.",
)

# Topic: space.

RECOMMENDED_SPACE = Method(
    name="recommended_space",
    top=True,
    module="hpo_explain.methods.space.recommended_space",
    asks="Which values can be left out of the search?",
    limits="what is left holds a configuration near the best with 95 %, not the best one; an "
    "optimum that no trial hints at may be cut off; it is one box, which holds what lies between "
    "two good parts",
    title="Which values can be left out?",
    how_to_read="A bar is what stays of a hyperparameter's values, along its own scale. Together "
    "they hold, with 95 % probability, a configuration that is as good as the best up to what the "
    "sentence says.",
)


# Topic: advice.

ADVISE = Method(
    name="advise",
    top=True,
    module="hpo_explain.methods.advice.advise",
    asks="What should be done next?",
    limits="gains are what the trials allow to expect, with a probability; an optimum where nobody "
    "looked is not foreseen",
    title="What to do next?",
    how_to_read="After the trial to keep, what is expected to bring most stands first. A gain is "
    "by how much the best is expected to get better, over functions that the trials allow.",
)
OPTIMUM = Method(
    name="optimum",
    top=True,
    module="hpo_explain.methods.advice.optimum",
    asks="Where is the best configuration, and is there more to get?",
    limits="that nothing better exists is never certain: a narrow optimum that nobody tried is not "
    "foreseen",
    title="Where is the best configuration?",
    how_to_read="A curve is how many times as probably as by chance the best value of a "
    "hyperparameter lies there; the marked stretch holds it with 90 %. A flat curve says that the "
    "trials do not tell where the best value is.",
)

METHODS = tuple(entry for entry in globals().copy().values() if isinstance(entry, Method))

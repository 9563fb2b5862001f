"""The catalog: one entry a method, in the order of the guide."""

from hpo_explain.catalog.entry import Method

# Topic: runs.

SUMMARY = Method(
    name="summary",
    top=True,
    module="hpo_explain.methods.advice.summary",
    asks="How good is it, what matters, where to search, what to try, how reliable is that?",
    limits="five lines; the functions behind them state the uncertainty of each",
    title="In short",
    how_to_read="A bar is the share of the variance over the whole space that a hyperparameter "
    "explains alone; the pale bar behind it is its share with all interactions.",
)
HISTORY = Method(
    name="history",
    top=True,
    module="hpo_explain.methods.runs.history",
    asks="What did each trial reach, and when was the best found?",
    limits="shows observed values: the best of several noisy results is better than its average",
    title="Trials",
    how_to_read="Every mark is a trial; the line is the best so far. Select a trial, or move with "
    "the arrow keys, to see its values and, if a model chose it, why. Bars to the right speak for "
    "a value, bars to the left against it.",
)
TRUST = Method(
    name="trust",
    top=True,
    module="hpo_explain.methods.runs.trust",
    asks="How well is the objective known?",
    limits="assumes that the objective is as rough in untried regions as elsewhere",
    title="How well is the objective known?",
    how_to_read="Many functions fit the trials as well as the noise allows. The more they differ, "
    "the less is known. R² and the rank correlation compare the model's prediction with the true "
    "objective, as far as these functions tell.",
)
NOISE = Method(
    name="noise",
    module="hpo_explain.methods.runs.noise",
    asks="How noisy are the results, and what does the noise depend on?",
    limits="needs configurations that were evaluated several times (repeats, folds); with few of "
    "them, only large differences show",
    title="How noisy are the results?",
    how_to_read="A dot is the standard deviation of the results of one configuration that was "
    "evaluated several times. Where it is large, a single good result says little.",
)
LUCK = Method(
    name="luck",
    module="hpo_explain.methods.runs.luck",
    asks="Was the best trial lucky, and does another metric rank the trials as the objective does?",
    limits="estimates the noise from repeats if there are any, else from the model",
    title="Was the best trial lucky?",
    how_to_read="A star is the observed result of one of the best trials. A dot is the average "
    "that is expected if it were evaluated again, with a 95% interval.",
)
PRUNING = Method(
    name="pruning",
    top=True,
    module="hpo_explain.methods.runs.pruning",
    asks="Why were trials pruned, what did that save, and what may it have lost?",
    limits="judges trials by their rank at a step, and replays pruners on finished trials only",
    title="What did pruning save and lose?",
    how_to_read="Faint lines are finished trials, colored ones pruned trials. A trial is pruned "
    "if it is worse than earlier ones at the same step. Its chance of having become the best "
    "follows from how much the finished trials still changed their ranks.",
    needs="curves",
)
TIMELINE = Method(
    name="timeline",
    module="hpo_explain.methods.runs.timeline",
    asks="When did trials run, and how much time did failed and pruned ones take?",
    limits="a row is not a machine: frameworks do not record which worker ran a trial",
    title="When did the trials run?",
    how_to_read="A bar is a trial, from its start to its finish. Trials that ran at the same time "
    "are in different rows. A gap is a worker that waited.",
    needs="is_timed",
    for_assistants=False,
)
COMPARE = Method(
    name="compare",
    top=True,
    module="hpo_explain.methods.runs.compare",
    asks="What do several runs (seeds, data sets) share, and what is good in all of them?",
    limits="needs a reliable model of each run; compares only what all search spaces contain",
    title="What do the runs have in common?",
    how_to_read="A bar is a hyperparameter's average share of the variance over the runs, a dot "
    "its share in one run. Runs that differ only in their seed show how much an explanation "
    "depends on chance.",
)
PARETO = Method(
    name="pareto",
    top=True,
    module="hpo_explain.methods.runs.pareto",
    asks="Which trials are best in several objectives, and what does moving between them cost?",
    limits="relies on models for the cost of a move; a trial may be on the front by luck",
    title="Which trials are best, and what does one objective cost in another?",
    how_to_read="A trial is on the front if no other is better in all objectives. A "
    "hyperparameter with bars in both directions improves one objective at the expense of another.",
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
    how_to_read="An optimizer tries the configuration that its model rates as most desirable. The "
    "bars divide its advantage over an average configuration among the hyperparameters. Bars to "
    "the right speak for the proposed value, bars to the left against it. Their parts are the "
    "predicted objective and its uncertainty or, with TPE, how common the value is among good "
    "trials and how rare among the others.",
    needs="proposes",
)
DESIRABILITY_PATH = Method(
    name="desirability_path",
    module="hpo_explain.methods.proposals.desirability_path",
    asks="How did the optimizer's reasons change during the run?",
    limits="does not say which trials would have followed for other reasons",
    title="How did the reasons change?",
    how_to_read="Each panel follows one hyperparameter from proposal to proposal. Above zero, its "
    "proposed value made the configuration more desirable than an average one; below zero, less. "
    "A hyperparameter that matters here may have little effect on the objective, and vice versa.",
    needs="proposes",
)
PROPOSAL_DENSITIES = Method(
    name="proposal_densities",
    module="hpo_explain.methods.proposals.densities",
    asks="Why did Optuna's TPE propose these values?",
    limits="only for proposals of TPE, whose densities ignore the size of the objective",
)
DENSITY_PATH = Method(
    name="density_path",
    module="hpo_explain.methods.proposals.densities",
    asks="How did TPE's densities of a hyperparameter change during the run?",
    limits="only for proposals of TPE, one hyperparameter at a time",
)

# Topic: importance.

IMPORTANCE = Method(
    name="importance",
    top=True,
    module="hpo_explain.methods.importance.importance",
    result="hpo_explain.methods.importance.fanova",
    title="What matters?",
    how_to_read="A bar is the share of the objective's variance over the search space that a "
    "hyperparameter explains alone, without the noise of the trials. The pale bar behind it is its "
    "share with all interactions, which orders the rows. The whisker is a 95% interval. A hatched "
    "bar is an interaction: what hyperparameters explain only together.",
    asks="What matters for the objective, or (top=0.1) for being among the best?",
    limits="does not say which values are good, or what matters near the best configuration; "
    "`top` gives less certain answers, and does not work with a forest",
)
H_STATISTIC = Method(
    name="h_statistic",
    module="hpo_explain.methods.importance.h_statistic",
    how_to_read="A bar is the part of the joint effect of two hyperparameters that goes beyond the "
    "sum of their own effects. If it is long, the best value of one depends on the other. It is "
    "relative: if both hardly matter, a long bar means little.",
    asks="Which hyperparameters interact?",
    limits="does not say how (draw the partial dependence of the pair); H can be large for a pair "
    "that hardly matters",
)
SHAPLEY_INTERACTIONS = Method(
    name="shapley_interactions",
    module="hpo_explain.methods.importance.shapley_interactions",
    asks="How do hyperparameters interact at one configuration?",
    limits="explains the prediction (or the acquisition) there, not what matters elsewhere; "
    "with more than 11 hyperparameters those that contribute least count as one",
)
TUNABILITY = Method(
    name="tunability",
    module="hpo_explain.methods.importance.tunability",
    asks="How much can tuning gain, wrong values lose, or the optimizer have missed?",
    limits="relies on the model, which may be too optimistic where there are few trials; absurd "
    "values count as well",
)

# Topic: effects.

PARTIAL_DEPENDENCE = Method(
    name="partial_dependence",
    top=True,
    module="hpo_explain.methods.effects.effects",
    result="hpo_explain.methods._engines.effect",
    asks="What is the effect of a hyperparameter, a pair or all that matter?",
    limits="an average: opposite effects in different regions cancel out (use `regions=True` and "
    '`criterion="interaction"`), and it includes combinations that nobody tried (unlike '
    '`kind="accumulated"`)',
    title="How does it matter?",
    how_to_read="A line or point is the prediction for a value: in blue what it can reach with all "
    "others at their best, dashed (or diamonds) the average over the others. Dots are trials, "
    "bands 95% intervals. Green marks values that may be the best, in pale where there are few "
    "trials.",
)

SLICES = Method(
    name="slices",
    module="hpo_explain.methods.effects.slices",
    asks="What did trials reach along each hyperparameter, and what can be reached there?",
    limits="trials also differ in all other hyperparameters, which may explain their results "
    "(the curve holds the others at their best)",
    how_to_read="A point is a trial: hollow if early, black if late. Marks at the end of an axis "
    "have no result. The curve is the best objective expected at a value, with all others at their "
    "best; trials far from it had worse values of the others.",
    for_assistants=False,
)
CONTOURS = Method(
    name="contours",
    module="hpo_explain.methods.effects.contours",
    asks="Which values of each pair of hyperparameters are good, and where are no trials?",
    limits="averages over all others, and shows pairs of the most important hyperparameters, "
    "which may not interact (use `hx.methods.h_statistic`)",
    how_to_read="A panel is a pair. Its colors are the objective predicted on average over all "
    "others; pale regions have few trials. Orange points are the best tenth of the trials, white "
    "ones the others, crosses failed trials.",
    for_assistants=False,
)

# Topic: around.

CHANGES = Method(
    name="changes",
    top=True,
    module="hpo_explain.methods.around.changes",
    asks="Which changes to the default account for the improvement, and which can be undone?",
    limits="compares with the best configuration that was tried; to reach an objective, it uses "
    "only values of trials",
    title="Which changes made the difference?",
    how_to_read="A bar is the gain by one change, averaged over the orders in which the changes "
    "can be made; its whisker is a 95% interval. Pale changes are not needed: without them the "
    "gain stays.",
)

EXPLAIN_PREDICTION = Method(
    name="explain_prediction",
    top=True,
    module="hpo_explain.methods.proposals.explain_prediction",
    result="hpo_explain.methods.proposals.contributions",
    asks="Why is this objective predicted for a configuration?",
    limits="does not say what a change of the configuration would do; for many configurations "
    "use `hx.methods.explain_predictions`",
)
EXPLAIN_PREDICTIONS = Method(
    name="explain_predictions",
    module="hpo_explain.methods.proposals.explain_prediction",
    result="hpo_explain.methods.proposals.explain_predictions",
    asks="Why are these objectives predicted for many configurations?",
    limits="averages hide opposite contributions: look at single ones with `hx.explain_prediction`",
)
LOCAL_IMPORTANCE = Method(
    name="local_importance",
    module="hpo_explain.methods.around.local_importance",
    asks="What matters around the best configuration?",
    limits="does not say in which direction, or what two changes do together",
    how_to_read="One hyperparameter at a time takes all of its values while the others stay at the "
    "best configuration. The longer a bar, the more the prediction depends on this hyperparameter "
    "here. Other hyperparameters may matter over the whole space.",
)
TOLERANCE = Method(
    name="tolerance",
    module="hpo_explain.methods.around.tolerance",
    asks="How exactly must the best configuration be met?",
    limits="one hyperparameter at a time: two moves together may lose more; a narrow peak that no "
    "trial hints at is not foreseen",
    how_to_read="A bar is how far a value may move while all others stay, before more is lost than "
    "counts, with 95 %; the pale bar behind it is how far if all others are set to their best "
    "there. Short bars on top must be met most exactly.",
)
LIME = Method(
    name="lime",
    module="hpo_explain.methods.around.lime",
    asks="What changes the prediction here, in a simple model?",
    limits="holds within the width of its kernel, and only if its R² is high",
    how_to_read="A bar is the change of the prediction, by a linear model fitted around the best "
    "configuration, when a number goes from one end of its range to the other or a category is "
    "replaced by another. R² is the agreement of this model with the surrogate; do not interpret "
    "the bars if it is below one half.",
)

# Topic: space.

RECOMMENDED_SPACE = Method(
    name="recommended_space",
    top=True,
    module="hpo_explain.methods.space.recommended_space",
    asks="Which values can be left out of the search?",
    limits="keeps a configuration near the best with 95% probability, not the best one itself; "
    "it may cut off an optimum that no trial hints at, and it keeps what lies between two good "
    "regions",
    title="Which values can be left out?",
    how_to_read="A bar is the remaining range of a hyperparameter, along its own scale. With 95% "
    "probability, the remaining space holds a configuration as good as the best, up to the stated "
    "loss.",
)


# Topic: advice.

ADVISE = Method(
    name="advise",
    top=True,
    module="hpo_explain.methods.advice.advise",
    asks="What should be done next?",
    limits="estimates gains from the trials so far; it cannot foresee an optimum in an unexplored "
    "region",
    title="What to do next?",
    how_to_read="The trial to keep comes first, then the actions with the largest expected gain: "
    "how much the best objective is expected to improve.",
)
OPTIMUM = Method(
    name="optimum",
    top=True,
    module="hpo_explain.methods.advice.optimum",
    asks="Where is the best configuration, and is there more to get?",
    limits="cannot exclude a better configuration: it does not foresee a narrow optimum that "
    "nobody tried",
    title="Where is the best configuration?",
    how_to_read="The higher the curve, the more likely the best value is there (1: no better than "
    "chance). The marked range holds it with 90% probability. A flat curve means that the trials "
    "do not show where the best value is.",
)

METHODS = tuple(entry for entry in globals().copy().values() if isinstance(entry, Method))

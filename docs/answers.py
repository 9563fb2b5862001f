"""What a question's page needs beyond the catalog: a study that fits, its code, how to read it."""

STUDY = "svm"
STUDIES = {
    "compare": "",
    "learning_curves": "networks",
    "noise": "repeated",
    "pareto": "two objectives",
}
CODE = {
    "ablation": "found = hx.methods.ablation(study, source=0)  # from the first trial on",
    "changes": (
        'default = {"C": 1.0, "gamma": 0.001, "kernel": "sigmoid"}\n'
        "found = hx.changes(study, default)"
    ),
    "compare": (
        'names = ["seed 0", "seed 1", "seed 2"]\n'
        "studies = {name: optuna.load_study(study_name=name, storage=STORAGE) for name in names}\n"
        "found = hx.compare(studies)"
    ),
    "density_path": 'found = hx.methods.density_path(study, "gamma")',
    "explain_prediction": (
        'config = {"C": 1.0, "gamma": 1.0, "kernel": "rbf"}\n'
        "found = hx.explain_prediction(study, config)"
    ),
    "explain_proposal": "found = hx.explain_proposal(study, trial=39)",
    "importance": "found = hx.importance(study, order=2)",
}
# Entries of the catalog without a section in the report say nothing of their figure.
READING = {
    "summary": "Two bars a hyperparameter: what it explains of the variation over the whole "
    "space, and of the difference between the best 10 % and the rest. Where the second is longer, "
    "it matters for fine-tuning. Where the first is, it keeps the search out of bad regions.",
    "history": "A point is a trial, the line the best value so far, the star the trial that "
    "reached it. Squares are trials of the initial design, which no model proposed. A line that "
    "has been flat for long says that the search has converged, or that it is stuck.",
    "compare": "A bar is the average over the runs, a dot one run. Dots close together say that "
    "the runs agree. The whisker is one standard deviation over the runs.",
    "pareto": "A blue point is a trial that no other one beats in all objectives; the numbers are "
    "trials. Where the front is steep, a little of one objective buys much of the other.",
    "explain_proposal": "The bars of a hyperparameter are what its value added to the acquisition "
    "function, by term, compared with an average configuration: right is more desirable. Of TPE "
    "the terms are how common the value is among good trials, and how rare among the others; of a "
    "Gaussian process the predicted mean and its uncertainty. All totals add up to the payout.",
    "desirability_path": "A panel is a hyperparameter, a point of its black line one proposal. "
    "Above 0 the value made the proposal more desirable than an average one. A line that rises "
    "during the run belongs to a hyperparameter that the optimizer has learned to use.",
    "proposal_densities": "The blue curve is how common a value is among good trials, the orange "
    "one among all others, both as multiples of chance. TPE prefers values where the blue curve "
    "is far above the orange one; the dotted line is the value that it took.",
    "density_path": "A column is a proposal. Bright values were more common among good trials "
    "than among others at that time; a dot is the value that was proposed. Bright stretches that "
    "become narrower show a search that concentrates.",
    "shapley_interactions": "From the average prediction to the one of this configuration: a step "
    "is what a hyperparameter does alone, or (with ×) what two do together beyond that. Steps to "
    "the better side are blue.",
    "tunability": "From no gain to the gain of tuning everything: a step is what tuning one "
    "hyperparameter brings on average, or what tuning two together adds (or, hatched, takes away).",
    "partial_dependence": "The line is the prediction averaged over all other hyperparameters, "
    "with a 95 % band of the model's uncertainty; the dashed one has the others at their best. "
    "Ticks at the bottom are trials. Where the plot is hatched, few trials are near. Green marks "
    "the values that may be the best.",
    "changes": "A bar is what one change brings, averaged over the orders in which the changes "
    "can be made; its whisker is a 95 % interval. Changes that are not needed are pale: they can "
    "be put back to the default, and the gain stays.",
    "explain_prediction": "A bar is what a value adds to the average prediction: blue is better. "
    "The bars add up to the difference between this prediction and the average. The pale line is "
    "the model's uncertainty of it: where it crosses 0, the sign is not certain.",
    "explain_predictions": "A point is one trial: its place is what the value contributed to the "
    "prediction, its color whether the value was low or high. Colors that change from left to "
    "right show a monotone effect; mixed ones an interaction, or none.",
    "footprint": "Similar configurations are near each other. Circles are trials, crosses were "
    "not tried; the color is what is predicted. Bright places with crosses and without circles "
    "are promising, and unexplored.",
    "advise": "A bar is by how much an action is expected to improve the best objective, its "
    "whisker 95 % of what may happen. The action with the longest bar comes first; without a bar "
    "the gain is not known.",
}

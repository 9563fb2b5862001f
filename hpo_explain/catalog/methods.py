"""The catalog: one entry a method, in the order of the guide."""

from hpo_explain.catalog.entry import Method

# Topic: runs.

# Topic: proposals.

# Topic: importance.

# Topic: effects.

PARTIAL_DEPENDENCE = Method(
    name="partial_dependence",
    module="hpo_explain.methods.effects.partial_dependence",
    result="hpo_explain.methods.effects.effect",
    command=None,  # `pdp` shows several, too
    asks="What is the effect of a hyperparameter, and how uncertain is it?",
    limits="an average: opposite effects in different parts of the space cancel out",
)
ACCUMULATED_LOCAL_EFFECTS = Method(
    name="accumulated_local_effects",
    module="hpo_explain.methods.effects.accumulated_local_effects",
    result="hpo_explain.methods.effects.effect",
    command="ale",
    asks="What changes along the configurations that were tried, where combinations are missing?",
    limits="relative to their average; does not say what combinations would do that nobody tried",
)

# Topic: around.

ABLATION = Method(
    name="ablation",
    module="hpo_explain.methods.around.ablation",
    asks="Which changes lead from the default to the best configuration?",
    limits="where changes act together, the gain of each depends on their order (its Shapley value "
    "does not)",
    options={"source": "--from", "target": "--to"},
    title="Which changes made the difference?",
    how_to_read="From top to bottom one value after the other is changed, always the one that "
    "helps most; the length of a stair is what it gains. Where changes act together, the hatched "
    "bars, averages over all orders, are the fair shares.",
)

# Topic: space.

# Topic: advice.

METHODS = (ABLATION, PARTIAL_DEPENDENCE, ACCUMULATED_LOCAL_EFFECTS)

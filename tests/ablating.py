"""The algorithm as the tests of the class that it was call it."""

from hpo_explain.methods.around.ablation import ablate


class AblationExplainer:
    def __init__(self, model, **options):
        self.model, self.options = model, options

    def explain(self, source, target, **trials):
        return ablate(self.model, source, target, **self.options, **trials)

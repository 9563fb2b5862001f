"""Explanations and runs made by hand, and what a page consists of, for the tests that look."""

import dataclasses
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pytest
from scipy.stats import norm

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, Run, SearchSpace
from hpo_explain.base.subject import Subject
from hpo_explain.belief.trust import Trust
from hpo_explain.methods import ShapleyExplainer
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.models import LowerConfidenceBound

TRUSTED = Trust("good", 0.9, (0.8, 0.95), 0.8, (0.6, 0.9), 0.1, 0.9, 0.95, 30)
SUBJECT = {field.name for field in dataclasses.fields(Subject)} - {"space", "notes"}

# Names that a careless program shows as something else than themselves.
NASTY = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "$x_1$ \\frac{a}{b",
    "quo\"te's & co.",
    "emoji 😀 🏳️‍🌈",
    "שיעור למידה",
    "معدل التعلم",
    "学习率",
    "new\nline",
    "_underscore",
    "{{ 7 * 7 }}",
    "a" * 100 + "b" * 100,
)

# Before 3.11, matplotlib has no font of last resort and warns of each character it cannot draw.
warns_of_glyphs = pytest.mark.filterwarnings(
    "ignore:Glyph .* missing from font" if mpl.__version_info__ < (3, 11) else "error:Glyph"
)


def subject_of(names, **changes):
    """What is explained where these hyperparameters lie between 0 and 1."""
    return Subject(SearchSpace([FloatParameter(name, 0.0, 1.0) for name in names]), **changes)


def believed(subject, level="good", **known):
    """A subject whose model is as good as its level."""
    return dataclasses.replace(subject, trust=dataclasses.replace(TRUSTED, level=level), **known)


def explained(model, config, **options):
    """The Shapley values of a configuration, of the confidence bound where it is a surrogate."""
    acquisition = model if hasattr(model, "terms") else LowerConfidenceBound(model)
    return ShapleyExplainer(acquisition, **options).explain(config)


def explanation(
    phi, *, names=None, terms=("mean", "uncertainty"), error=0.02, unsure=None, **changes
):
    """An explanation with these contributions.

    `error` is the standard error of each; `unsure` how far draws of the contributions to the
    objective, those of the first term with the other sign, are from their mean; or None.
    """
    phi = np.asarray(phi, dtype=float)
    names = tuple(names or (f"x{j}" for j in range(len(phi))))
    about = {
        "acquisition": "LCB (κ = 1.96)",
        "model": "a GP",
        "trial": 42,
        "objective_name": "loss",
        "trust": TRUSTED,
    }
    about |= {key: changes.pop(key) for key in SUBJECT & changes.keys()}
    payout = {term: float(phi[:, t].sum()) for t, term in enumerate(terms)}
    payout["total"] = float(phi.sum())
    baseline = dict.fromkeys(payout, -0.5)
    fields = {
        "subject": subject_of(names, **about),
        "config": {name: j / 8 for j, name in enumerate(names)},
        "terms": tuple(terms),
        "phi": phi,
        "standard_error": np.full((len(phi), len(terms) + 1), error, float),
        "difference_error": np.full((len(terms) + 1, len(phi), len(phi)), error, float),
        "degrees_of_freedom": 0 if error is None else 9,
        "draws": np.full((1, len(phi)), np.nan),
        "prediction": {term: payout[term] + baseline[term] for term in payout},
        "baseline": baseline,
        "payout": payout,
        "efficiency_gap": dict.fromkeys(payout, 0.0),
        "objective_prediction": {"mean": 0.1234, "std": 0.03},
        "objective_baseline": {"mean": 0.21, "std": 0.05},
        "background_size": 1000,
        "kappa": 1.96 if terms[-1] == "uncertainty" else None,
    }
    if unsure is not None:
        fields["draws"] = -phi[:, 0] + unsure * normal(len(phi))
    return ProposalExplanation(**{**fields, **changes})


def normal(names, draws=200):
    """Standard normal draws of some numbers, (draws, names), without an error of sampling."""
    quantiles = norm.ppf((np.arange(draws) + 0.5) / draws)
    rng = np.random.default_rng(0)
    return np.column_stack([rng.permutation(quantiles) for _ in range(names)])


def tuning_run(
    n=30,
    *,
    names=("lr", "layers", "booster", "rate_drop"),
    choices=("gbtree", "dart"),
    initial=8,
    **changes,
):
    """A run of a smooth objective over a float, an integer, a category and its conditional."""
    space = SearchSpace(
        [
            FloatParameter(names[0], 1e-5, 1e-1, log=True),
            IntParameter(names[1], 1, 5),
            CategoricalParameter(names[2], list(choices)),
            FloatParameter(names[3], 0.0, 1.0, active_when={names[2]: [choices[1]]}),
        ]
    )
    X = space.sample(n, seed=0)
    latent = np.nan_to_num(X, nan=0.5)
    objective = 1.0 + (latent[:, 0] - 0.6) ** 2 + 0.1 * latent[:, 1] + 0.2 * latent[:, 3]
    fields = {"proposals": range(initial, n), "objective_name": "loss"}
    return Run(space, X, objective, changes.pop("direction", "minimize"), **{**fields, **changes})


class Page(HTMLParser):
    """What a browser makes of a page: elements with attributes, their text, and their nesting."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.text = ""
        self.misnested = []
        self._open = []
        self.feed(source)
        self.close()
        self.misnested += self._open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in {"td", "th"}:
            self.text += " "
        if tag not in self.VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self._open or self._open.pop() != tag:
            self.misnested.append(tag)

    def handle_data(self, data):
        if not {"style", "script"} & {*self._open}:
            self.text += data

    def tags(self):
        return {tag for tag, _ in self.elements}

    def values(self, attribute):
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]

"""The stubs of the public names, from the catalog; ``python -m tests.stubs`` writes them.

A package lists the function of every method, the explainers in its module, and what `MORE` names.
The top level has what a person remembers (entries say `top`). Results have a page, and are imported
from their own module.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

from hpo_explain.catalog.methods import METHODS
from tests.source_tree import ROOT, modules

MORE = {
    "hpo_explain.adapters": [
        "from_ax",
        "from_flaml",
        "from_frame",
        "from_hyperopt",
        "from_keras_tuner",
        "from_optuna",
        "from_ray",
        "from_sklearn",
        "from_skopt",
        "from_smac",
        "publish",
    ],
    "hpo_explain.base.claim": ["Claim"],
    "hpo_explain.base.errors": ["InputError", "NothingToExplain"],
    "hpo_explain.base.facts": ["Fact", "Origin"],
    "hpo_explain.base.posterior": ["PosteriorDraws"],
    "hpo_explain.base.subject": ["Subject"],
    "hpo_explain.catalog.guide": ["guide"],
    "hpo_explain.methods._engines.background": [
        "baseline_background",
        "global_background",
        "hybrid_background",
        "local_background",
    ],
    "hpo_explain.methods.effects.partial_dependence": ["PartialDependenceExplainer"],
    "hpo_explain.methods.effects.regional_partial_dependence": [
        "RegionalPartialDependenceExplainer"
    ],
    "hpo_explain.methods.importance.fanova": ["FanovaExplainer"],
    "hpo_explain.methods.proposals.sample_size": ["check_sample_size"],
    "hpo_explain.methods.proposals.shapley": ["ShapleyExplainer"],
    "hpo_explain.methods.runs.sampling_bias": ["sampling_bias"],
    "hpo_explain.models": [
        "ExpectedImprovement",
        "ForestSurrogate",
        "GaussianProcessSurrogate",
        "LogExpectedImprovement",
        "LowerConfidenceBound",
        "ModelSurrogate",
        "ProbabilityOfImprovement",
    ],
    "hpo_explain.reporting": ["report", "watch", "what_if"],
    "hpo_explain.run": ["Curves", "Instances", "NoiseModel", "Run"],
    "hpo_explain.space": ["CategoricalParameter", "FloatParameter", "IntParameter", "SearchSpace"],
}
# Results beside those of the catalog's entries, and what they consist of.
RESULTS = {
    "hpo_explain.methods._engines.conditions": ["Condition"],
    "hpo_explain.methods._engines.effect_result": ["PartialDependence"],
    "hpo_explain.methods.advice.advise_result": ["Action"],
    "hpo_explain.methods.around.lime_result": ["LimeStatement"],
    "hpo_explain.methods.effects.partial_dependences_result": ["PartialDependences"],
    "hpo_explain.methods.effects.regional_partial_dependence_result": [
        "Region",
        "RegionalPartialDependence",
    ],
    "hpo_explain.methods.importance.trade_off": ["TradeOffImportance"],
    "hpo_explain.methods.proposals.densities": ["DensityCurve"],
    "hpo_explain.methods.proposals.sample_size": ["SampleSizeCheck"],
    "hpo_explain.methods.runs.compare": ["ComparedRun"],
    "hpo_explain.methods.runs.sampling_bias": ["SamplingBias"],
}
TOP = {
    *(method.name for method in METHODS if method.top),
    *MORE["hpo_explain.adapters"],
    "report",
    "watch",
    "what_if",
    "guide",
    "Run",
    *MORE["hpo_explain.space"],
}
PACKAGES = ("hpo_explain", "hpo_explain.methods")
_WRITTEN = '"""The public names and where they are; ``python -m tests.stubs`` writes this file."""'


def of_methods() -> dict[str, set[str]]:
    """The functions and explainers of the methods by module."""
    there, found = modules(), {}
    for method in METHODS:
        found.setdefault(method.module, set()).add(method.name)
        explainers = [name for name in _classes(there[method.module]) if name.endswith("Explainer")]
        found[method.module].update(explainers)
    return found


@cache
def results() -> dict[str, str]:
    """The module of each result, and of what results consist of."""
    there, found = modules(), {}
    for method in METHODS:
        module = method.result or method.module
        if f"{module}_result" in there:
            module = f"{module}_result"
        found |= dict.fromkeys(_results(there[module]), module)
    return found | {name: module for module, names in RESULTS.items() for name in names}


@cache
def _classes(path: Path) -> dict[str, list[str]]:
    """The public classes of a module, with the names of their bases."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {
        node.name: [ast.unparse(base) for base in node.bases]
        for node in body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    }


def _results(path: Path) -> set[str]:
    """The results in a module; what several build on is none of its own."""
    classes, found = _classes(path), set[str]()
    for name, bases in classes.items():
        is_derived = any(base in found or base not in classes for base in bases)
        if is_derived and not name.endswith("Explainer"):
            found.add(name)
    return found - {base for bases in classes.values() for base in bases}


def names_of(package: str) -> dict[str, str]:
    """The module of each public name of a package; what a folder is called is none."""
    by_module = of_methods()
    for module, names in MORE.items():
        by_module.setdefault(module, set()).update(names)
    return {
        name: module
        for module, names in by_module.items()
        for name in names
        if module.startswith(package)
        and f"{package}.{name}" not in modules()
        and (package != "hpo_explain" or name in TOP)
    }


def written(package: str) -> dict[str, str]:
    """The names in a package's stub with their modules."""
    tree = ast.parse(place(package).read_text(encoding="utf-8"))
    return {
        alias.name: f"{package}.{node.module}"
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def place(package: str) -> Path:
    """The file of a package's stub."""
    return ROOT.joinpath(*package.split("."), "__init__.pyi")


if __name__ == "__main__":
    for package in PACKAGES:
        lines = [
            f"from {module.removeprefix(package)} import {name} as {name}"
            for name, module in names_of(package).items()
        ]
        more = []
        if package == "hpo_explain":
            lines += [f"from . import {name} as {name}" for name in ("methods", "models")]
            more = ["", "__version__: str"]
        text = "\n".join([_WRITTEN, "", *sorted(lines), *more, ""])
        place(package).write_text(text, encoding="utf-8")
        for tool in (["check", "--fix", "--select", "I", "-q"], ["format", "-q"]):
            subprocess.run([sys.executable, "-m", "ruff", *tool, str(place(package))], check=False)

"""The stubs of the public names, from the catalog; ``python -m tests.stubs`` writes them.

Public are the function of every method, the explainers in its module, the results in the module
beside it, and what `MORE` names.
"""

import ast
from pathlib import Path

from hpo_explain.catalog.methods import METHODS
from tests.source_tree import ROOT, modules

MORE = {
    "hpo_explain.adapters": [
        "from_ax", "from_flaml", "from_frame", "from_hyperopt", "from_keras_tuner", "from_optuna",
        "from_ray", "from_sklearn", "from_skopt", "from_smac",
    ],
    "hpo_explain.base.claim": ["Claim"],
    "hpo_explain.base.errors": ["InputError", "NothingToExplain"],
    "hpo_explain.base.facts": ["Fact", "Origin"],
    "hpo_explain.base.posterior": ["PosteriorDraws"],
    "hpo_explain.base.subject": ["Subject"],
    "hpo_explain.catalog.guide": ["guide"],
    "hpo_explain.models": [
        "ExpectedImprovement", "ForestSurrogate", "GaussianProcessSurrogate",
        "LogExpectedImprovement", "LowerConfidenceBound", "ModelSurrogate",
        "ProbabilityOfImprovement", "RiskAverseConfidenceBound",
    ],
    "hpo_explain.reporting": ["report"],
    "hpo_explain.run": ["Curves", "Instances", "NoiseModel", "Run"],
    "hpo_explain.space": [
        "CategoricalParameter", "FloatParameter", "IntParameter", "SearchSpace",
    ],
}  # fmt: skip


def of_methods() -> dict[str, list[str]]:
    """The public names of the methods by module."""
    there, found = modules(), {}
    for method in METHODS:
        results = f"{method.result or method.module}_result"
        found.setdefault(method.module, set()).add(method.name)
        for module in (method.module, results):
            classes = [name for name in _public(there[module]) if name.endswith("Explainer")
                       or module == results] if module in there else []  # fmt: skip
            found.setdefault(module, set()).update(classes)
    return {module: sorted(names) for module, names in sorted(found.items()) if names}


def _public(path: Path) -> list[str]:
    """The names that a module's `__all__` lists; without one, its classes and no other names."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    listed = [
        ast.literal_eval(node.value) for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]  # fmt: skip
    classes = [n.name for n in body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
    return listed[0] if listed else classes


def stub(package: str) -> str:
    """The text of a package's stub."""
    names = of_methods()
    if package == "hpo_explain":
        names |= MORE
    else:
        names = {module: found for module, found in names.items() if module.startswith(package)}
    lines = [
        f"from {module.removeprefix(package)} import {name} as {name}"
        for module, found in sorted(names.items())
        for name in found
    ]
    head = '"""The public names and where they are; ``python -m tests.stubs`` writes this file."""'
    return "\n".join([head, "", *sorted(lines), ""])


STUBS = {
    ROOT / "hpo_explain" / "__init__.pyi": "hpo_explain",
    ROOT / "hpo_explain" / "methods" / "__init__.pyi": "hpo_explain.methods",
}

if __name__ == "__main__":
    for path, package in STUBS.items():
        path.write_text(stub(package), encoding="utf-8")

"""What is meant by a name that is not there: those of other tools, and those that look alike."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any

_ELSEWHERE = {
    "importance": (
        "importances get_param_importances param_importances feature_importances "
        "feature_importance plot_param_importances plot_importance permutation_importance fanova "
        "importance_analysis parameter_importance"
    ),
    "partial_dependence": (
        "pdp plot_pdp plot_partial_dependence partial_dependence_plot plot_objective ice ale "
        "effects plot_effects"
    ),
    "explain_prediction": "shap shap_values shapley plot_shap explain_instance waterfall",
    "explain_proposal": "explain explain_trial why",
    "optimum": "best best_params best_config best_trial best_value best_configuration",
    "history": (
        "plot_optimization_history optimization_history plot_convergence plot_history "
        "plot_evaluations trials_dataframe plot_trials"
    ),
    "pareto": "pareto_front plot_pareto_front best_trials plot_hypervolume_history hypervolume",
    "compare": "plot_edf edf compare_runs compare_studies",
    "recommended_space": "search_space narrow narrow_space reduced_space suggest_space space",
    "advise": "advice suggest recommend next_steps what_next",
    "changes": (
        "ablation ablation_path ablation_analysis difference diff counterfactual counterfactuals"
    ),
    "report": "explain_all html dashboard profile create_report",
    "from_optuna": "load_study from_study from_storage read_study",
    "from_frame": "from_csv read_csv from_pandas from_dataframe from_table from_wandb from_mlflow",
    "methods.slices": "plot_slice slice slice_plot",
    "methods.contours": "plot_contour contour plot_rank rank ranks",
    "methods.timeline": "plot_timeline gantt",
    "methods.lime": "lime lime_explanation",
    "pruning": "plot_intermediate_values intermediate_values learning_curve learning_curves",
    "methods.local_importance": "lpi local_parameter_importance",
}
_HERE = {name: here for here, names in _ELSEWHERE.items() for name in names.split()}


def hinting(
    lookup: Callable[[str], Any], package: str, others: Callable[[], Iterable[str]]
) -> Callable[[str], Any]:
    """Return a package's ``__getattr__`` whose error says what a name is here.

    Parameters
    ----------
    lookup : callable
        What finds its public names.
    package : str
        What it is called.
    others : callable
        Returns all public names, those of methods as in ``methods.lime``.

    Examples
    --------
    >>> import hpo_explain
    >>> hpo_explain.importances
    Traceback (most recent call last):
        ...
    AttributeError: hpo_explain has no 'importances'. Did you mean hpo_explain.importance?
    """

    def looked_up(name: str) -> Any:
        try:
            return lookup(name)
        except AttributeError:
            if name.startswith("_"):
                raise
            hint = _hint(name, [*others()])
            problem = f"{package} has no {name!r}"
            raise AttributeError(f"{problem}.{hint}", name=name) from None

    return looked_up


def _hint(name: str, public: list[str]) -> str:
    """Return what a name may mean, as a sentence after a space; empty where nothing is alike."""
    last = {path.rpartition(".")[2]: path for path in reversed(public)}
    here = last.get(name) or _HERE.get(name.lower())
    if here is None:
        close = difflib.get_close_matches(name, [*last, *_HERE], n=1)
        here = last.get(close[0]) or _HERE.get(close[0], "") if close else ""
    return f" Did you mean hpo_explain.{here}?" if here else ""

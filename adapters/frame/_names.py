"""What the name of a column says of its role: a hint, which its cells have to confirm."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hpo_explain.base.errors import InputError
from hpo_explain.run.metrics import said_direction

if TYPE_CHECKING:
    import pandas as pd


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_MEASURED = word_set(
    "loss acc accuracy auc auroc auprc f1 score scores rmse mse mae mape r2 logloss nll "
    "perplexity ppl bleu rouge iou dice precision recall reward error err objective metric "
    "fitness regret runtime duration elapsed latency throughput time timestamp walltime mcc kappa "
    "psnr ssim fid wer cer ndcg mrr sharpe sortino calmar drawdown profit pnl winrate flops macs "
    "memory likelihood sensitivity specificity silhouette fps result bce rmsle trades win wins "
    "cost dd ap map return returns losses costs errors rewards accuracies"
)
_OF_WHAT = word_set(
    "train training val valid validation test eval dev holdout cv oob mean std avg average best "
    "final last min max total epoch fold top top1 top5 weighted macro micro balanced ms s sec "
    "secs seconds fit ratio pct percent number raw median var sem se quant rounded log neg "
    "negative absolute squared root roc pr cross entropy win gpu cpu wall clock model mb gb split "
    "rank m"
)
# of what is set, although a word of measurement stands beside: loss_weight, error_tol
_SET = word_set(
    "weight weights coef coefficient lambda threshold tol tolerance smoothing scale penalty clip "
    "limit budget func function fn type kind margin factor alpha beta gamma target size patience "
    "reg rate lr criterion weighting thresh decay discount fraction dim units layers depth width "
    "length embedding"
)
_NUMBER = word_set(
    "trial trials iteration iter it run number num no nr index idx id ids eval evaluation "
    "experiment exp attempt try sim simulation tid uid unnamed tag"
)
# numbers of trials, or hyperparameters: the rank of an adapter, the order of a model
_MAYBE_NUMBER = word_set(
    "job model config configuration candidate individual step round count counter order row rank "
    "generation gen case sample design point level"
)
_IDS = word_set("id ids uuid uid hash commit sha guid pid port")
_HOSTS = word_set(
    "host hostname user path dir directory logdir folder file filename url notes note comment "
    "comments tags"
)
_SEEDS = word_set("seed seeds rng")
_INSTANCES = word_set(
    "fold folds split repeat repetition replicate replication rep dataset instance task"
)
_BESIDE_INSTANCE = word_set(
    "cv k outer inner id index idx number num name test data random state set no"
)
_BUDGETS = word_set(
    "budget budgets fidelity rung resource resources epoch iteration step"
)
_BUDGETS_SET = word_set("epochs iterations steps subset")
_BESIDE_BUDGET = word_set("training train n num number current max")
_TIMES = word_set(
    "time timestamp timestamps date datetime start started end ended finish finished created "
    "updated completed begin"
)
_STAMPS = word_set("timestamp timestamps date datetime")
_BESIDE_TIME = word_set("at run trial job utc on s ms unix epoch")
_DURATIONS = word_set(
    "duration durations runtime elapsed walltime took time times seconds secs sec minutes mins "
    "hours latency"
)
_BESIDE_DURATION = word_set(
    "this iter since restore in process inference predict prediction search execution exec run "
    "cost build per h min s ms tuning optimization sample trial evaluation step datetime"
)
_OTHER_UNITS = word_set("ms minutes mins min hours h")
_STATES = word_set("state status success successful ok done finished failed")
_MODELS = word_set(
    "model algorithm algo method estimator classifier regressor learner network net arch "
    "architecture"
)
_CONFIGURATIONS = word_set(
    "config configs configuration configurations param params parameter parameters hyperparameter "
    "hyperparameters hparams hparam hyperparams hp x setting settings setup args kwargs best point"
)
_RESULTS = word_set(
    "metric metrics summary result results score scores user attrs attributes history info "
    "evaluation evaluations output"
)
_RESULT_OF = re.compile(
    r"(metrics?|summary|results?|scores?|user_attrs?)[./:]"
)
_CAME_OUT = re.compile(
    r"(best|stopped|stop|last|final)_?(epoch|iter|iteration|step)s?"
    r"|((n|num|number_of|total|trainable|model|total_trainable)_?)?(params|parameters)"
    r"|epochs?_(trained|run|done)|trained_epochs?"
    r"|(model|file|checkpoint)_?size(_?(mb|kb|bytes))?",
    re.IGNORECASE,
)
_NUMERO = frozenset(("sno", "srno", "slno", "nr", "no", "sn"))
_COUNTED_HYPERPARAMETERS = re.compile(
    r"(n|num|max|no)_?(iter|iterations?|steps?)"
)
# What pandas calls a first column without a name; the digits after the point tell those apart
# that were saved one after the other.
_NAMELESS = re.compile(r"Unnamed: 0(\.\d+)*|")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("trainLoss"), words_of("mean_test_F1")
    (('train', 'loss'), ('mean', 'test', 'f1'))
    """
    found = re.findall(
        r"[A-Z]{2,}s(?![a-z])|[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?", name
    )
    return tuple(word.lower() for word in found)


def is_called_measured(name: str) -> bool:
    """Say whether a name has nothing but words of measurement.

    Examples
    --------
    >>> [is_called_measured(n) for n in ("train_loss", "valAcc", "loss_weight", "test_size")]
    [True, True, False, False]
    """
    if _RESULT_OF.match(name) or said_direction(name) is not None:
        return True
    words = [
        word if word in _MEASURED else word.rstrip("0123456789")
        for word in words_of(name)
    ]
    known = all(word in _MEASURED or word in _OF_WHAT for word in words)
    return known and any(word in _MEASURED for word in words)


def mentions_measurement(name: str) -> bool:
    """Say whether a name has a word of measurement, and none of what is set.

    Examples
    --------
    >>> [mentions_measurement(n) for n in ("quant_test_loss", "loss_weight", "error_rate")]
    [True, False, True]
    """
    words = words_of(name)
    if words == ("error", "rate"):
        return True
    return any(w in _MEASURED for w in words) and not _SET.intersection(words)


def came_out(name: str) -> bool:
    """Say whether a name is that of what comes out beside metrics: best_epoch, n_params."""
    return _CAME_OUT.fullmatch(name) is not None


def is_called_number(name: str, *, maybe: bool = False) -> bool:
    """Say whether a name is that of numbers of trials, such as trial_number, run_id or none.

    With `maybe` it may be that of a hyperparameter, too.
    """
    if _NAMELESS.fullmatch(name) or name.strip() in ("#", "№"):
        return True
    if re.sub(r"\W", "", name).lower() in _NUMERO:
        return True
    words = words_of(name)
    if _COUNTED_HYPERPARAMETERS.fullmatch(name.lower()):
        return False
    known = _NUMBER | _MAYBE_NUMBER
    return known.issuperset(words) and bool(
        words if maybe else _NUMBER.intersection(words)
    )


def is_called_id(name: str) -> bool:
    """Say whether a name ends as that of identifiers does: run_id, uuid, pid."""
    return bool(_IDS.intersection(words_of(name)[-1:]))


def is_called_place(name: str) -> bool:
    """Say whether a name is that of a place or a remark: log_dir, hostname, notes."""
    return bool(_HOSTS.intersection(words_of(name)))


def is_called_seed(name: str) -> bool:
    """Say whether a name is that of the seed of a generator of random numbers."""
    words = words_of(name)
    return bool(_SEEDS.intersection(words)) or words == ("random", "state")


def is_called_instance(name: str) -> bool:
    """Say whether a name is that of folds, data sets or repetitions."""
    words = words_of(name)
    allowed = _INSTANCES | _BESIDE_INSTANCE
    return allowed.issuperset(words) and bool(_INSTANCES.intersection(words))


def is_called_budget(name: str, *, also_set: bool) -> bool:
    """Say whether a name is that of a budget; `also_set` accepts what is a hyperparameter, too."""
    words = words_of(name)
    budgets = _BUDGETS | _BUDGETS_SET if also_set else _BUDGETS
    allowed = budgets | _BESIDE_BUDGET
    return allowed.issuperset(words) and bool(budgets.intersection(words))


def is_called_time(name: str) -> bool:
    """Say whether a name is that of moments."""
    words = words_of(name)
    allowed = _TIMES | _BESIDE_TIME
    return allowed.issuperset(words) and bool(_TIMES.intersection(words))


def is_called_stamp(name: str) -> bool:
    """Say whether a name is that of moments and of nothing else."""
    words = words_of(name)
    return is_called_time(name) and bool(_STAMPS.intersection(words))


def is_called_duration(name: str) -> bool:
    """Say whether a name is that of durations, and not of a limit of them.

    Examples
    --------
    >>> [is_called_duration(n) for n in ("fit_time", "time_total_s", "time_limit", "time_steps")]
    [True, True, False, False]
    """
    words = words_of(name)
    allowed = _DURATIONS | _BESIDE_DURATION | _OF_WHAT - {"max"}
    return allowed.issuperset(words) and bool(_DURATIONS.intersection(words))


def is_in_seconds(name: str) -> bool:
    """Say whether durations of a name count seconds, unless it names another unit."""
    return not _OTHER_UNITS.intersection(words_of(name))


def is_called_state(name: str) -> bool:
    """Say whether a name is that of what became of a trial."""
    return bool(_STATES.intersection(words_of(name)))


def is_called_model(name: str) -> bool:
    """Say whether a name is that of kinds of models, each with settings of its own."""
    return bool(_MODELS.intersection(words_of(name)))


def is_called_configuration(name: str) -> bool:
    """Say whether a name is that of whole configurations."""
    return bool(_CONFIGURATIONS.intersection(words_of(name)))


def is_called_results(name: str) -> bool:
    """Say whether a name is that of a dictionary of what came out."""
    return bool(_RESULTS.intersection(words_of(name)))


def different_columns(
    table: pd.DataFrame, names: Sequence[str], argument: str, whose: str = ""
) -> list[int]:
    """Return the places of a table's columns; of equal ones with one name the first.

    Raises
    ------
    InputError
        If columns that differ have the same name; it is about the argument, and says whose they
        are.
    """
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        earlier = first.setdefault(name, place)
        if not name or earlier == place:
            continue
        if table.iloc[:, earlier].equals(table.iloc[:, place]):
            continue
        problem = (
            f"{whose}has the column {name} more than once, with other values"
        )
        raise InputError(argument, problem, name, "Rename one.")
    return [
        place
        for place, name in enumerate(names)
        if not name or first[name] == place
    ]

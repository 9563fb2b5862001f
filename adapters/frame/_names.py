"""What the name of a column says that it may be besides a hyperparameter. It is only asked then."""

from __future__ import annotations

import re

from hpo_explain.adapters._cells import word_set
from hpo_explain.run.metrics import said_direction

_MEASURED = word_set(
    "loss acc accuracy auc auroc auprc f1 score scores rmse mse mae mape r2 logloss nll "
    "perplexity ppl bleu rouge iou dice precision recall reward error err objective metric "
    "fitness regret latency throughput mcc kappa "
    "psnr ssim fid wer cer ndcg mrr sharpe sortino calmar drawdown profit pnl winrate flops macs "
    "memory likelihood sensitivity specificity silhouette fps result bce rmsle win wins cagr "
    "gain cost dd ap map return returns losses costs errors rewards accuracies"
)
# of what is set, although a word of measurement stands beside: loss_weight, error_tol
_SET = word_set(
    "weight weights coef coefficient lambda threshold tol tolerance smoothing scale penalty clip "
    "limit budget func function fn type kind margin factor alpha beta gamma target size patience "
    "reg rate lr criterion weighting thresh decay discount fraction dim units layers depth width "
    "length embedding"
)
_CAME_OUT = re.compile(
    r"(best|stopped|stop|last|final)_?(epoch|iter|iteration|step)s?"
    r"|((n|num|number_of|total|trainable|model|total_trainable)_?)?(params|parameters)"
    r"|epochs?_(trained|run|done)|trained_epochs?"
    r"|(model|file|checkpoint)_?size(_?(mb|kb|bytes))?",
    re.IGNORECASE,
)
_RESULT_OF = re.compile(r"(metrics?|summary|results?|scores?|user_attrs?)[./:]")
_COUNTED_HYPERPARAMETERS = re.compile(r"(n|num|max|no)_?(iter|iterations?|steps?)")
# what pandas calls a first column without a name: the index of a table that was saved, or several
_INDEX = re.compile(r"(Unnamed: 0(\.\d+)*)?")
# what a column may be: the words that say it, and those that may stand beside
_CALLED: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "a seed": (word_set("seed seeds rng"), word_set("random state")),
    "a status": (word_set("state status success finished failed"), word_set("trial run")),
    "a fold": (
        word_set(
            "fold folds split repeat repetition replicate replication rep dataset instance task"
        ),
        word_set("cv k outer inner id index idx number num name test data set no"),
    ),
    "a time": (
        word_set(
            "time timestamp timestamps date datetime start started end ended finish finished "
            "created updated duration durations runtime elapsed walltime took seconds secs minutes "
            "hours latency"
        ),
        word_set(
            "at run trial job utc on s ms min h unix epoch total mean std avg max min fit score "
            "train training test val eval inference predict search execution exec wall clock cpu "
            "gpu per iter this since restore in process step submit gather"
        ),
    ),
    "an id": (
        word_set(
            "id ids uuid uid hash commit sha guid pid port host hostname path dir url note notes"
        ),
        word_set("trial run job model config experiment git log worker task exp study logdir"),
    ),
    "a counter": (
        word_set(
            "trial trials iteration iter it run number num no nr index idx epoch eval evaluation "
            "experiment exp attempt sim simulation tid unnamed round count counter rank"
        ),
        word_set("current id step rounds total training s"),
    ),
}
_CONFIGURATIONS = word_set(
    "config configs configuration configurations param params parameter parameters hyperparameter "
    "hyperparameters hparams hparam hyperparams hp x setting settings setup args kwargs best point"
)
_RESULTS = word_set(
    "metric metrics summary result results score scores user attrs attributes history info "
    "evaluation evaluations output"
)


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case.

    Examples
    --------
    >>> words_of("trainLoss"), words_of("mean_test_F1")
    (('train', 'loss'), ('mean', 'test', 'f1'))
    """
    found = re.findall(r"[A-Z]{2,}s(?![a-z])|[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?", name)
    return tuple(word.lower() for word in found)


def called(name: str) -> str:
    """Return what a name says a column is; empty for a hyperparameter.

    Examples
    --------
    >>> [called(n) for n in ("val_acc", "random_state", "cv_fold", "fit_time", "run_id", "Trial")]
    ['a metric', 'a seed', 'a fold', 'a time', 'an id', 'a counter']
    >>> {called(n) for n in ("lr", "loss_weight", "time_limit", "n_iter", "test_size", "id_dim")}
    {''}
    """
    words = words_of(name.replace("#", "no"))
    if words == ("random", "state"):
        return "a seed"
    if not _COUNTED_HYPERPARAMETERS.fullmatch(name.lower()):
        for what, (of, beside) in _CALLED.items():
            if of.intersection(words) and (of | beside).issuperset(words):
                return what
    is_result = _RESULT_OF.match(name) or _CAME_OUT.fullmatch(name)
    return "a metric" if is_result or is_measured(name) else ""


def is_index(name: str) -> bool:
    """Say whether a name is that of the index of a table that pandas saved and read.

    Examples
    --------
    >>> [is_index(name) for name in ("Unnamed: 0", "Unnamed: 0.1", "", "Unnamed: 3")]
    [True, True, True, False]
    """
    return bool(_INDEX.fullmatch(name))


def is_measured(name: str) -> bool:
    """Say whether a name is that of a metric: it has a word of one, and none of what is set.

    Examples
    --------
    >>> [is_measured(n) for n in ("quant_test_loss", "loss_weight", "error_rate", "F1 ↑")]
    [True, False, True, True]
    """
    words = words_of(name)
    is_rate = words in (("error", "rate"), ("win", "rate"))
    if said_direction(name) or is_rate:
        return True
    known = {word.rstrip("0123456789") for word in words} | {*words}
    return bool(_MEASURED & known) and not _SET.intersection(words)


def is_called_configuration(name: str) -> bool:
    """Say whether a name is that of whole configurations."""
    return bool(_CONFIGURATIONS.intersection(words_of(name)))


def is_called_results(name: str) -> bool:
    """Say whether a name is that of a dictionary of what came out."""
    return bool(_RESULTS.intersection(words_of(name)))

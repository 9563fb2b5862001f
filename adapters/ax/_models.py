"""What only Ax knows: the Gaussian processes that generated its trials, as surrogates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

from hpo_explain.adapters._evaluations import encoded
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.latest import Latest
from hpo_explain.models._gp_fit import FittedProcess
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import OwnAcquisition
from hpo_explain.space import Array, SearchSpace

_PROBES = 64
_SAME = 1e-4  # of the spread of the predictions


@dataclass(frozen=True, eq=False)
class AxFit:
    """What fits Ax's model to some of the trials: Ax's own code, beside the client.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    spec : ax.generation_strategy.generator_spec.GeneratorSpec
        How Ax fits its model.
    experiment : ax.Experiment
        The experiment.
    data : ax.core.data.Data
        What its trials were told.
    metric : str
        Ax's signature of the metric.
    """

    space: SearchSpace
    spec: Any
    experiment: Any
    data: Any
    metric: str

    def surrogate(self, trials: Sequence[int], X: Array) -> GaussianProcessSurrogate | None:
        """Return the model of some trials, if it is a process that can be read.

        Parameters
        ----------
        trials : sequence of int
            The trials, in Ax's order.
        X : ndarray of shape (n, d)
            Their configurations, encoded.
        """
        try:
            spec = self.spec.copy()  # the client keeps its own
            spec.fit(experiment=self.experiment, data=self.data.filter(trial_indices=trials))
            found = GaussianProcessSurrogate(self.space, self._read(spec.fitted_adapter, X))
            if not self._agrees(found, spec.fitted_adapter):
                return None
        except Exception:  # another kind of model, or another release, may raise anything
            return None
        found.label = "Ax's GP"
        return found

    def _read(self, adapter: Any, X: Array) -> FittedProcess:
        """Return the process of an adapter, whose columns are linear in the encoded ones."""
        model = adapter.generator.surrogate.model
        model.eval()
        Z = _numbers(model.train_inputs[0])
        slopes = [np.polyfit(x, z, 1)[0] for x, z in zip(X.T, Z.T, strict=True)]
        constant = float(_numbers(model.mean_module.constant))
        scaled = adapter.transforms["StandardizeY"]
        mean, std = scaled.Ymean[self.metric], scaled.Ystd[self.metric]
        return FittedProcess.conditioned(
            _kernel(model.covar_module, np.array(slopes)),
            _numbers(model.likelihood.noise).ravel(),
            X,
            _numbers(model.train_targets) - constant,
            offset=float(mean + std * constant),
            scale=float(std),
        )

    def _agrees(self, surrogate: GaussianProcessSurrogate, adapter: Any) -> bool:
        """Say whether Ax itself predicts the same."""
        from ax.core.observation import ObservationFeatures

        X = self.space.sample(_PROBES, seed=0)
        configs = [ObservationFeatures(config) for config in self.space.decode(X)]
        means, covariances = adapter.predict(configs)
        mean, std = surrogate.predict(X)
        its_mean = np.array(means[self.metric])
        its_std = np.sqrt(covariances[self.metric][self.metric])
        slack = _SAME * max(float(np.ptp(its_mean)), float(its_std.max()))
        return bool(max(np.abs(mean - its_mean).max(), np.abs(std - its_std).max()) <= slack)


def _kernel(module: Any, slopes: Array) -> Any:
    """Return a kernel of GPyTorch over encoded rows, whose columns it sees times `slopes`."""
    name = type(module).__name__
    if name == "ScaleKernel":
        scale = float(_numbers(module.outputscale))
        return ConstantKernel(scale) * _kernel(module.base_kernel, slopes)
    lengths = np.broadcast_to(_numbers(module.lengthscale).ravel(), len(slopes)) / np.abs(slopes)
    if name == "RBFKernel":
        return RBF(lengths)
    if name == "MaternKernel":
        return Matern(lengths, nu=module.nu)
    raise TypeError(name)


def _numbers(tensor: Any) -> Array:
    return tensor.detach().cpu().numpy()


@dataclass(frozen=True, eq=False)
class AxRecord:
    """Ax's own models, for a Run.

    Attributes
    ----------
    fit : AxFit
        What fits them.
    rows : mapping of int to ndarray of shape (d,)
        The trials with a value, encoded, by number.
    known : mapping of int to tuple of int
        For each trial that the model generated those of `rows` that were completed by then.
    """

    fit: AxFit
    rows: Mapping[int, Array]
    known: Mapping[int, tuple[int, ...]]
    _found: Latest = field(default_factory=Latest, init=False, repr=False)

    @classmethod
    def of(
        cls, client: Any, space: SearchSpace, data: Any, metric: str, valued: set[int]
    ) -> AxRecord | None:
        """Return the record of a client, if its current node has a model that is read.

        Parameters
        ----------
        client : ax.Client
            The client.
        space : SearchSpace
            The space that was read from it.
        data : ax.core.data.Data
            What the trials were told.
        metric : str
            Ax's signature of the metric.
        valued : set of int
            The trials that have a value.
        """
        strategy = getattr(client, "_maybe_generation_strategy", None)
        if not strategy:
            return None
        node = strategy.current_node
        specs = node.generator_specs
        if len(specs) != 1 or specs[0].generator_key != "BoTorch":
            return None
        experiment = client._experiment
        trials = {t: trial for t, trial in sorted(experiment.trials.items()) if t in valued}
        read = encoded(space, [trial.arm.parameters for trial in trials.values()])
        if np.isnan(read.X).any() or not trials:
            return None
        known = {}
        for number, trial in experiment.trials.items():
            by = trial.generator_run
            if by and by._generation_node_name == node.name:
                done = {t: other.time_completed for t, other in trials.items()}
                known[number] = tuple(t for t, at in done.items() if at and at < by.time_created)
        fit = AxFit(space, specs[0].copy(), experiment, data, metric)
        record = cls(fit, dict(zip(trials, read.X, strict=True)), known)
        return record if record.surrogate(None) else None

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that generated trial `before`; for None one of all trials."""
        trials = tuple(self.rows) if before is None else self.known.get(before)
        if not trials:
            return None
        X = np.array([self.rows[trial] for trial in trials])
        return self._found.of(trials, lambda: self.fit.surrogate(trials, X))

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return None: Ax averages its acquisition over draws, and it is not rebuilt."""
        return None

    def why_not(self, before: int | None) -> Fact | None:
        """Return why trial `before` has no acquisition."""
        averages = "Ax averages the expected improvement over draws"
        return fact(f"{averages}, which is not rebuilt")

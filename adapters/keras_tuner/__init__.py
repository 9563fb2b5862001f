"""The adapter of KerasTuner: its tuners, and the projects that they leave in folders."""

from hpo_explain.adapters.keras_tuner.tuner import from_keras_tuner

__all__ = ["from_keras_tuner"]

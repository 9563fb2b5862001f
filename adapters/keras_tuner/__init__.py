"""The adapter of KerasTuner."""

from hpo_explain.adapters.keras_tuner.tuner import from_keras_tuner

__all__ = ["from_keras_tuner"]

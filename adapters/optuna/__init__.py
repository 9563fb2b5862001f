"""The adapter of Optuna."""

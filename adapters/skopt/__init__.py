"""The adapter of scikit-optimize."""

"""The adapter of scikit-learn's searches, and of searches made to look like them."""

from hpo_explain.adapters.sklearn.search import from_sklearn

__all__ = ["from_sklearn"]

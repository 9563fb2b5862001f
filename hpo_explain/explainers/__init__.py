"""Explainers: one method per file, each asking a surrogate or an acquisition."""

"""The papers' experiments, beside the papers' own numbers (``python -m examples.papers``)."""

"""Methods about proposals: why the optimizer tried what it tried, and what a model predicts."""

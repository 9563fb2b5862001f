"""Methods about what one or two hyperparameters do."""

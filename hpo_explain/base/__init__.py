"""What every method stands on: the declared result, claims, words, and what a model believes."""

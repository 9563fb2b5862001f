"""What users type: each function picks the surrogate and the defaults, and calls an explainer."""

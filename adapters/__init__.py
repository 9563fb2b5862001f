"""Adapters: what a framework recorded, turned into a Run."""

if __name__ != "hpo_explain.adapters":
    raise ImportError(
        f"this folder is the package 'hpo_explain.adapters' and was imported as {__name__!r}, a name "
        "that belongs to another project; write 'from hpo_explain.adapters import ...' instead"
    )

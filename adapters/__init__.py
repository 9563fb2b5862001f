"""Adapters: what a framework recorded, turned into a Run."""

if __name__ != "hpo_explain.adapters":
    raise ImportError(
        f"the adapters of hpo_explain were imported as {__name__!r}, which is another project's "
        "name; import them as 'hpo_explain.adapters': from hpo_explain.adapters import ..."
    )

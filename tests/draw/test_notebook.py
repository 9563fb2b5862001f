"""What a notebook keeps of plots, results and progress; needs nbclient and a kernel of IPython."""

import os

import pytest

from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

nbformat = pytest.importorskip("nbformat", reason="makes notebooks")
nbclient = pytest.importorskip("nbclient", reason="runs notebooks")
pytest.importorskip("ipykernel", reason="runs notebooks")
pytest.importorskip("matplotlib_inline", reason="shows figures in notebooks")

# Begins with what a later cell could inherit: a figure that is not shown would be left over.
CELLS = {
    "begin": """
import hpo_explain as hx
from hpo_explain.base import progress
from hpo_explain.belief import landscape, mixture
mixture.KERNELS = mixture.DRAWS = 8
landscape.ROWS = 1024
from tests.handmade import tuning_run
run = tuning_run(14)
found = hx.history(run)
panels = hx.partial_dependence(run, [("lr",), ("layers",)], grid_size=4, sample=20)""",
    "plot": "found.plot()",
    "quiet": "found.plot();",
    "panels": "axes = panels.plot()",
    "loop": "for result in (found, panels, found): result.plot()",
    "shown": "import matplotlib.pyplot as plt\nfound.plot()\nplt.show()",
    "given": "ax = plt.figure().add_subplot()\nfound.plot(ax);",
    "saved": """
import io
for result in (found, panels):
    for ax in (result.plot(), ):
        first = ax if hasattr(ax, "get_figure") else ax[0]
        for figure in (first.figure, first.get_figure()):
            figure.savefig(io.BytesIO())
plt.close("all")""",
    "nothing": "assert plt.get_fignums() == []",
    "result": "found",
    "progress": """
progress._PATIENCE = progress._OFTEN = 0.0
for i in progress.steps([1], "numbers"): pass
with progress.progress_of("work"):
    for i in progress.steps(range(3), "pieces"): pass""",
}


@pytest.fixture(scope="module")
def outputs():
    """What each cell shows after all of them were run."""
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    book = nbformat.v4.new_notebook(cells=cells)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    try:
        nbclient.NotebookClient(book, timeout=300, kernel_name="python3").execute()
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
    return {name: cell.outputs for name, cell in zip(CELLS, cells, strict=True)}


def images(outputs):
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_each_plot_is_one_image_and_none_is_left_over(outputs):
    found = {name: images(shown) for name, shown in outputs.items()}
    assert found == {
        "begin": 0,
        "plot": 1,
        "quiet": 1,
        "panels": 1,
        "loop": 3,
        "shown": 1,
        "given": 1,
        "saved": 0,
        "nothing": 0,
        "result": 0,
        "progress": 0,
    }


def test_a_result_is_its_sentence_its_figure_and_its_table_folded(outputs):
    (shown,) = outputs["result"]
    html = shown["data"]["text/html"]
    order = [html.index(part) for part in ("best", "<svg", "<details>", "<table", "</details>")]
    assert order == sorted(order)


def test_progress_is_gone_when_it_is_done(outputs):
    shown = outputs["progress"]
    assert [output["output_type"] for output in shown] == ["display_data"]
    assert not any(shown[0]["data"].values())

"""How much processor time the figures of a report take, one by one, once all fonts are known.

python -m pytest tests/benchmarks/test_drawing.py -o addopts= --benchmark-only -s
"""

import time

import pytest

import hpo_explain as hx
from hpo_explain.reporting import _render
from tests.benchmarks.measure import run_of


@pytest.mark.parametrize(("n", "d"), [(30, 3), (200, 10)])
def test_the_figures_of_a_report(benchmark, monkeypatch, tmp_path, n, d):
    figures = []
    figure = _render.plot_svg

    def kept(draw, *, alt):
        figures.append((draw, alt))
        return figure(draw, alt=alt)

    monkeypatch.setattr(_render, "plot_svg", kept)
    hx.report(run_of(n, d), tmp_path / "report.html", progress=False)
    seconds = dict.fromkeys((alt for _, alt in figures), float("inf"))

    def draw_all():
        for draw, alt in figures:
            start = time.process_time()
            figure(draw, alt=alt)
            seconds[alt] = min(seconds[alt], time.process_time() - start)

    benchmark.pedantic(draw_all, rounds=5)
    benchmark.extra_info |= {"seconds": sum(seconds.values()), "figures": len(seconds)}
    for alt, second in seconds.items():
        print(f"{1e3 * second:6.0f} ms  {alt[:80]}")
    print(f"{n} x {d}: {len(seconds)} figures in {sum(seconds.values()):.2f} s")

import base64
import hashlib
import importlib
import logging
import os
import re
import stat
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest
from markupsafe import Markup
from matplotlib import pyplot as plt

import hpo_explain as hx
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import fact
from hpo_explain.base.phrases import printable
from hpo_explain.reporting import SECTIONS, Report, Status
from hpo_explain.run.objectives import joined
from tests.handmade import NASTY, Page, tuning_run, warns_of_glyphs
from tests.reporting import pages
from tests.reporting.pages import part

pytestmark = [warns_of_glyphs, pytest.mark.usefixtures("few_draws", "answers_stay")]


def read(path):
    return path.read_text(encoding="utf-8")


def write(run, folder, **options):
    return Page(read(pages.write(run, folder / "report.html", **options)))


@pytest.fixture(scope="module")
def run(few_draws, answers_stay):
    return tuning_run(
        30,
        excluded={30: "pruned", 31: "pruned", 32: "failed"},
        optimizer="Optuna's TPESampler",
        notes=["one note"],
        finished=np.arange(30) * 60.0,
    )


@pytest.fixture(scope="module")
def source(run, tmp_path_factory):
    return read(pages.write(run, tmp_path_factory.mktemp("report") / "r.html", title="my study"))


@pytest.fixture(scope="module")
def page(source):
    return Page(source)


# ---------------------------------------------------------------------- what it says


def test_the_report_tells_what_was_left_out_and_assumed(page, run):
    assert "What was excluded and assumed? 3 trials excluded, 1 assumption." in (page.text)
    assert "Excluded: 2 trials (30-31): pruned." in page.text
    assert "Excluded: 1 trial (32): failed." in page.text
    assert "one note" in page.text


def test_the_report_explains_the_latest_proposal(page, run):
    result = hx.explain_proposal(run)
    assert f"Why the latest proposal? {result.headline} hx.explain_proposal" in page.text
    assert "assumed" in page.text


def test_a_line_that_opens_says_how_its_figure_is_read(run):
    report = Report.of({"loss": run})
    page = Page(str(report.html))
    with_body = [card for card in report.cards if card.folded and card.body]
    assert len(with_body) >= 4
    for card in with_body:
        assert card.how_to_read in page.text
        assert card.how_to_read.count(". ") >= 1


# ---------------------------------------------------------------------- the file


def test_the_page_is_html_that_is_nested_properly_with_unique_ids(source, page):
    assert source.startswith("<!doctype html>")
    assert ("html", {"lang": "en"}) in page.elements
    assert ("meta", {"charset": "utf-8"}) in page.elements
    assert any(a.get("name") == "viewport" for tag, a in page.elements if tag == "meta")
    assert page.misnested == []
    assert len(set(page.values("id"))) == len(page.values("id"))


def test_the_page_needs_no_network_and_no_other_file(source, page):
    assert page.tags().isdisjoint({"link", "iframe", "object", "embed", "audio", "video"})
    assert all(value.startswith("data:") for value in page.values("src"))
    for name in ("href", "xlink:href"):
        assert all(value.startswith(("#", "data:")) for value in page.values(name))
    assert re.findall(r"url\((?!#)|@import", source) == []
    # never loaded
    names = {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert set(re.findall(r'https?://[^\s"\'<]+', source)) <= names


def test_only_the_page_s_own_script_may_run(source, page):
    (policy,) = [a["content"] for _, a in page.elements if "http-equiv" in a]
    assert policy.startswith("default-src 'none'")
    scripts = re.findall(r"<script>(.*?)</script>", source, flags=re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in scripts]
    assert re.findall(r"script-src ([^;]+);", policy) == [f"'sha256-{digests[0]}'"]
    assert len(digests) == 1
    assert len(scripts[0]) <= 60_000
    kinds = [attrs.get("type") for tag, attrs in page.elements if tag == "script"]
    assert {*kinds} == {None, "application/json", "text/plain"}
    assert not [key for _, attrs in page.elements for key in attrs if key.startswith("on")]


def test_the_page_is_small(source):
    assert len(source) < 1_000_000  # several of them go into a mail


def test_pyplot_and_the_style_are_left_alone(run, tmp_path):
    before = dict(mpl.rcParams)
    write(run, tmp_path, sections=["history"])
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


@pytest.mark.merge
@pytest.mark.usefixtures("empty_figures_here")
def test_names_from_the_user_are_shown_and_are_no_markup(tmp_path):
    names, choices = NASTY[:4], NASTY[4:6]
    rest = " ".join(NASTY)
    run = tuning_run(
        16,
        names=names,
        choices=choices,
        objective_name=rest,
        optimizer=rest,
        notes=NASTY,
        excluded={100 + k: name for k, name in enumerate(NASTY)},
    )
    page = write(run, tmp_path, title=rest)
    assert page.misnested == []
    assert page.tags().isdisjoint({"img", "b", "i"})
    scripts = [attrs.get("type") for tag, attrs in page.elements if tag == "script"]
    assert scripts == ["application/json", "text/plain", None]
    assert not [key for _, attrs in page.elements for key in attrs if key.startswith("on")]
    for name in NASTY:
        assert printable(name) in page.text
    assert "49" not in page.text[: page.text.index("In short")]  # {{ 7 * 7 }} is no template


def test_a_name_that_has_no_encoding_is_told_by_its_code(tmp_path):
    run = tuning_run(12, optimizer="name \ud800")
    assert r"name \ud800" in write(run, tmp_path, sections=["history"]).text


# ---------------------------------------------------------------------- what there is not


def test_why_there_is_nothing_is_a_sentence_that_leaves_names_as_they_are():
    refuses = part(NothingToExplain(fact("lr never varies.")))
    refused = Report.of({"loss": tuning_run(12)}, sections=[refuses])
    assert refused.cards[0].finding == "lr never varies."
    refuses = part(NothingToExplain(fact("it never varies")))
    refused = Report.of({"loss": tuning_run(12)}, sections=[refuses])
    assert refused.cards[0].finding == "It never varies."


@pytest.mark.merge
@pytest.mark.usefixtures("empty_figures_here")
def test_poor_trust_is_the_first_thing_told(tmp_path):
    noise = np.random.default_rng(0).normal(size=30)
    run = tuning_run(30)
    run = hx.Run(run.space, run.X, noise, "minimize", proposals=range(8, 30))
    page = write(run, tmp_path, sections=["summary", "explain-proposal"])
    assert hx.trust(run).level == "poor"
    assert page.text.count("Reliability: poor") == 1


# ---------------------------------------------------------------------- what fails


def test_a_section_that_fails_becomes_a_card_is_logged_and_harms_no_other(tmp_path, run, caplog):
    broken = part(RuntimeError("<b>boom</b>"), name="broken", title="Broken part")
    refuses = part(NothingToExplain(fact("there is <nothing> to see")), name="no")
    body = Markup("<p>something</p>")
    with caplog.at_level(logging.ERROR, logger="hpo_explain"):
        page = write(run, tmp_path, sections=[part(body), broken, refuses, part(body, name="last")])
    assert "There is <nothing> to see." in page.text
    assert "This section failed. RuntimeError: <b>boom</b>" in page.text
    assert page.text.count("something") == 2
    assert "b" not in page.tags()
    (record,) = caplog.records
    assert "Broken part" in record.getMessage()
    assert record.exc_info[1].args == ("<b>boom</b>",)


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and links")
def test_the_file_can_be_read_by_others_and_a_link_stays_a_link(tmp_path, run):
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    link.symlink_to(target)
    assert pages.write(run, link, sections=[part(Markup("<p>something</p>"))]) == link
    assert link.is_symlink()
    assert "something" in read(target)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~mask


# ---------------------------------------------------------------------- bugs do not hide


@pytest.mark.usefixtures("empty_figures_here")
def test_what_was_computed_for_one_section_serves_the_next(monkeypatch):
    calls, run = [], tuning_run(13)
    module = importlib.import_module("hpo_explain.methods.advice.optimum")
    regions = module._regions
    monkeypatch.setattr(module, "_regions", lambda *about: calls.append(1) or regions(*about))
    Report.of({"loss": run}, sections=["summary", "advise", "optimum"])
    hx.optimum(run)
    assert len(calls) == 1


@pytest.mark.merge
@pytest.mark.usefixtures("empty_figures_here")
def test_only_objectives_of_the_same_trials_have_a_front(monkeypatch):
    quick = tuple(section for section in SECTIONS if section.name == "history")
    monkeypatch.setattr("hpo_explain.reporting.page.SECTIONS", quick)
    run = tuning_run(20)
    time = replace(run, objective=100.0 * run.X[:, 0], objective_name="time", record=None)
    runs = {"loss": run, "time": time}
    (card,) = Report.of(runs).joint
    assert card.status is Status.SHOWN
    assert card.finding == hx.pareto(runs).sentence
    others = replace(time, X=run.X[::-1])  # not of the same trials
    assert Report.of(runs, sections=["history"]).joint == ()
    assert joined({"loss": run, "time": others}) is None

"""A name stays a name in the markup of a page: no pattern is looked for in what is written."""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain.adapters._published import escaped
from hpo_explain.draw.pages import plot_svg
from hpo_explain.reporting import Report
from hpo_explain.reporting._render import _INKS
from tests.source_tree import modules

NAMES = [
    'q"font-family: ',
    '#1f77b4 <g id="x"> #ffffff',
    ' x="1.23456789" d="M 1.23456 2"',
    'p0123456789-a <use xlink:href="#a" x="1" y="2" style=""/>',
    ' href="#@history" <!--figure 0-->',
]
CATEGORIES = ["' onclick=alert(1) x='", "#ffffff", "--> <script>alert(1)</script>"]


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.random(30) for name in NAMES})
    table["kind"] = np.resize(CATEGORIES, 30)
    table["loss"] = (table[NAMES[0]] - 0.3) ** 2 + 0.1 * table[NAMES[1]]
    return hx.from_frame(table, "loss", "minimize", optimizer="a GP", initial=5)


class Attributes(HTMLParser):
    """The elements of a page with their attributes, and its texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)


def handlers(page):
    return [
        (tag, name) for tag, attributes in page.elements for name in attributes if name[:2] == "on"
    ]


@pytest.mark.merge
@pytest.mark.usefixtures("few_draws", "answers_stay")
def test_a_page(run, tmp_path):
    sections = ["importance", "partial-dependence", "history"]
    path = Report.of({"loss": run}, sections=sections).write(tmp_path / "r.html")
    text = path.read_text(encoding="utf-8")
    page = Attributes(text)
    assert handlers(page) == []
    own = [tag for tag, attributes in page.elements if tag == "script"]
    assert len(own) == text.count("</script>")
    labels = " ".join(a.get("aria-label") or "" for _, a in page.elements)
    shown = " ".join(page.texts) + labels
    for name in NAMES[:2]:  # which matter
        assert name[:12] in shown, name


@pytest.mark.usefixtures("few_draws", "answers_stay")
@pytest.mark.parametrize("inks", [_INKS, {}], ids=["page", "notebook"])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_figure_says_of_itself(run, name, inks):
    effect = hx.partial_dependence(run, name, sample=20)
    alt = f"{name} {CATEGORIES}"
    svg = plot_svg(effect.plot, alt=alt, inks=inks)
    root = ElementTree.fromstring(svg)
    assert root.get("aria-label") == alt
    texts = "".join(root.itertext())
    assert name[:12] in texts
    assert [a for node in root.iter() for a in node.attrib if a.startswith("on")] == []
    assert Attributes(svg).elements[0][1]["aria-label"] == alt
    styles = "".join(node.get("style", "") for node in root.iter())
    assert ("font-family" in styles) == (not inks)


def test_a_category_that_is_called_as_a_color(run):
    effect = hx.partial_dependence(run, "kind", sample=20)
    svg = plot_svg(effect.plot, alt="", inks=_INKS)
    texts = [*ElementTree.fromstring(svg).itertext()]
    assert any("#ffffff" in text for text in texts)
    assert "var(--ink)" in svg


@pytest.mark.usefixtures("few_draws", "answers_stay")
def test_a_name_is_no_formula_of_plotly():
    """MathJax, where a page has it, draws what stands between signs of dollars."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"$x^2$": rng.random(30), "$y$": np.resize(["$a$", "$b$"], 30)})
    table["$l$"] = (table["$x^2$"] - 0.3) ** 2 + (table["$y$"] == "$a$")
    run = hx.from_frame(table, "$l$", "minimize", optimizer="a GP", initial=5)
    results = [
        hx.importance(run, order=2),
        hx.partial_dependence(run, ["$x^2$", "$y$", ("$x^2$", "$y$")]),
        hx.history(run),
        hx.explain_proposal(run),
        hx.methods.slices(run),
    ]
    for result in results:
        text = result.to_plotly().to_json()
        assert "&#36;" in text
        assert "$" not in text


def test_no_pattern_is_looked_for_in_markup():
    """Where markup is made, patterns are for the data of an attribute, or for files."""
    using = [
        module
        for module, path in modules().items()
        if module.startswith(("hpo_explain.reporting", "hpo_explain.draw"))
        and re.search(r"^import re$", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert {*using} <= {
        "hpo_explain.draw._svg",  # numbers of an attribute
        "hpo_explain.draw._text",  # words of a label
        "hpo_explain.reporting._file",  # names of files
    }


@pytest.mark.parametrize(
    "name",
    [
        "http://evil.example/a_b",
        "see www.evil.example/x, or not",
        "HTTPS://evil.example",
        "me@evil.example",
        "`` http://evil.example `",
        "<b>&lt;b&gt;</b> [x](http://evil.example) ![x](//evil.example/x.png)",
    ],
)
def test_no_name_is_a_link_in_a_note(name):
    """Markdown as of the dashboard: that of GitHub, which makes links of addresses in texts."""
    markdown = pytest.importorskip("markdown_it", reason="reads Markdown, comes with rich")
    (inline,) = [
        token for token in markdown.MarkdownIt().parse(escaped(name)) if token.type == "inline"
    ]
    assert {part.type for part in inline.children} <= {"text", "text_special", "code_inline"}
    shown = "".join(part.content for part in inline.children)
    assert shown == name
    texts = [part.content for part in inline.children if part.type != "code_inline"]
    # as transformGfmAutolinkLiterals of mdast-util-gfm-autolink-literal looks for them
    assert not re.search(r"https?://|www\.|[-.\w+]@[-\w]", "".join(texts), re.IGNORECASE)

"""Reports and sections as the tests look at them."""

from hpo_explain.question import Question
from hpo_explain.reporting import SECTIONS, Content, Report, Section
from hpo_explain.run import Run
from tests.handmade import Page


def content_of(name, run):
    """What a section shows of a run."""
    return {section.name: section for section in SECTIONS}[name].content(Question(run))


def write(run, path, **options):
    """Write a report about a run, or several by objective; return its path."""
    runs = {run.objective_name: run} if isinstance(run, Run) else run
    return Report.of(runs, **options).write(path)


def page_of(run, folder, *sections, **options):
    """The page of a report with some sections; all if none is named."""
    path = write(run, folder / "report.html", sections=sections or None, **options)
    return Page(path.read_text(encoding="utf-8"))


def part(body, *, name="part", title="A part"):
    """A section that shows a body, or raises what it is given."""

    def content(question):
        if isinstance(body, BaseException):
            raise body
        return Content("A finding", body)

    return Section(name, title, "Read it.", content)

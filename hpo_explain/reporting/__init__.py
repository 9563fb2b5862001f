"""The report: one self-contained HTML file about a run."""

from hpo_explain.reporting._notebook import ReportPath
from hpo_explain.reporting.page import BRIEF, SECTIONS, Report, Tab, report
from hpo_explain.reporting.section import Card, Content, Section, Status
from hpo_explain.reporting.standalone import Panel, what_if
from hpo_explain.reporting.watching import Watched, watch

__all__ = [
    "BRIEF",
    "SECTIONS",
    "Card",
    "Content",
    "Panel",
    "Report",
    "ReportPath",
    "Section",
    "Status",
    "Tab",
    "Watched",
    "report",
    "watch",
    "what_if",
]

"""The report: one self-contained HTML file about a run."""

from hpo_explain.reporting.page import BRIEF, SECTIONS, Report, Tab, report
from hpo_explain.reporting.section import Card, Content, Section, Status
from hpo_explain.reporting.standalone import Panel, what_if

__all__ = [
    "BRIEF",
    "SECTIONS",
    "Card",
    "Content",
    "Panel",
    "Report",
    "Section",
    "Status",
    "Tab",
    "report",
    "what_if",
]

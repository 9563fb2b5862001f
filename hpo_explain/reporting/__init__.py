"""The report: one self-contained HTML file about a run."""

from hpo_explain.reporting.page import BRIEF, SECTIONS, Report, Tab, report
from hpo_explain.reporting.section import Card, Content, Section, Status

__all__ = [
    "BRIEF",
    "SECTIONS",
    "Card",
    "Content",
    "Report",
    "Section",
    "Status",
    "Tab",
    "report",
]

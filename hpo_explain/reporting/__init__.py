"""The report: one self-contained HTML file about a run."""

from hpo_explain.reporting.ablation import WhatMadeTheDifference
from hpo_explain.reporting.effects import HowItMatters
from hpo_explain.reporting.importance import WhatMatters
from hpo_explain.reporting.interactions import WhatActsTogether
from hpo_explain.reporting.lime import WhatWouldChangeIt
from hpo_explain.reporting.local_importance import WhatMattersAround
from hpo_explain.reporting.next_steps import WhatNext
from hpo_explain.reporting.overview import Overview
from hpo_explain.reporting.page import (
    BRIEF,
    SECTIONS,
    Report,
    Tab,
    make_report,
    report,
    write_report,
)
from hpo_explain.reporting.path import HowReasonsChanged
from hpo_explain.reporting.proposal import BestProposal, LatestProposal
from hpo_explain.reporting.section import Card, Content, NotApplicable, Section
from hpo_explain.reporting.trust import TrustVerdict

__all__ = [
    "BRIEF",
    "SECTIONS",
    "BestProposal",
    "Card",
    "Content",
    "HowItMatters",
    "HowReasonsChanged",
    "LatestProposal",
    "NotApplicable",
    "Overview",
    "Report",
    "Section",
    "Tab",
    "TrustVerdict",
    "WhatActsTogether",
    "WhatMadeTheDifference",
    "WhatMatters",
    "WhatMattersAround",
    "WhatNext",
    "WhatWouldChangeIt",
    "make_report",
    "report",
    "write_report",
]

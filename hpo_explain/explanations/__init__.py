"""The frozen results: plain arrays and names, with a table, a plot and words for each."""

from hpo_explain.explanations._format import format_value
from hpo_explain.explanations.proposal import ProposalExplanation

__all__ = ["ProposalExplanation", "format_value"]

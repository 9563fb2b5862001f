"""Moved; what is still imported from here moves with its method."""

from __future__ import annotations

from hpo_explain._words import join_words as join_words
from hpo_explain.explanations._json import plain_json as plain_json
from hpo_explain.explanations._numbers import format_level as format_level
from hpo_explain.explanations._numbers import format_value as format_value
from hpo_explain.explanations.claims import NOTHING as NOTHING
from hpo_explain.explanations.claims import worth_naming as worth_naming

"""Audits a benchmark: each demand of the field as a check, with a card."""

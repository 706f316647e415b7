"""Tells people the outcome of a run."""

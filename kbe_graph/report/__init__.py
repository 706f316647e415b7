"""Tells people what came of a run."""

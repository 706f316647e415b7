"""Samples, questions and counts as text for terminals and notebooks."""

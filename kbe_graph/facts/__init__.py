"""Knows facts: those about a concept, their sources, and how each relation may be asked for."""

"""Knows facts: what is known of a concept, where it comes from, and how each relation may be asked for."""

"""Writes questions to files that other programs read."""

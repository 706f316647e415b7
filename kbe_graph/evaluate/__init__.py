"""Evaluation of models: asking, judging, and result tables."""

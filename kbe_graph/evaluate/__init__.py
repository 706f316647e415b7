"""Asks models, judges their answers, and makes tables of them."""

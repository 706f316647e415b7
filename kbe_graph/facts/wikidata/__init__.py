"""Wikidata as a knowledge source: what it says of the answers, asked with care, kept, and turned into a fact pack."""

"""Wikidata as a knowledge source: its facts about the answers, fetched with care, kept, and turned into a fact pack."""

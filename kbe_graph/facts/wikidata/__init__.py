"""Wikidata as a knowledge source: facts about answers, fetched politely, cached, and converted to a fact pack."""

"""Benchmarks built from pictures of Wikipedia pages and the Wikidata statements about them."""

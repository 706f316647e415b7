"""The tables of the package: facts, relations, kinds, patterns, words; and the photos of the demo."""

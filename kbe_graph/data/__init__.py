"""What the package knows, as tables: facts, relations, kinds, patterns, words; and the photos of the demo."""

"""From pictures on pages of Wikipedia, and the statements of Wikidata about what they show, to a benchmark."""

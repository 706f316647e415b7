"""Facts: lookup by concept, their sources, and how each relation is worded in a question."""

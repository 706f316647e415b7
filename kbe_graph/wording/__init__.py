"""Rule-based wording of a question about a key path (KBE, section 3.2, expression)."""

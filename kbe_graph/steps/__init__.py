"""The model's part of the method: each step renders a request and parses the reply, both pure (KBE, section 3.2)."""

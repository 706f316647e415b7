"""The method's steps for a model: each renders a request and parses the reply, both pure (KBE, section 3.2)."""

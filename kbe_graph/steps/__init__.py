"""Model steps of the method: each renders a request and parses the reply, as pure functions (KBE, section 3.2)."""

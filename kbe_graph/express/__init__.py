"""express."""

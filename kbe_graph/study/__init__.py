"""Forms and sheets on which people judge items, and the results read back from them."""

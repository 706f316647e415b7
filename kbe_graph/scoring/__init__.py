"""Files of predictions, the answers read from replies, and the rules that score them."""

"""The review of questions by people: decisions, what becomes of them, and what is learnt from them."""

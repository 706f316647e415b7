"""Reviews by people: decisions on questions, what becomes of them, and the files that they travel in."""

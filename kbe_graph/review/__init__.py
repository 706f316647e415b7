"""Human review: decisions on questions, their consequences, and the files for exchanging them."""

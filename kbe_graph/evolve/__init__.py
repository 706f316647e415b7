"""Evolution of questions: re-selection and hop-by-hop exploration, combined into a run (KBE, section 3.2)."""

"""Re-selects questions, explores outward hop by hop, and strings the steps into a run (KBE, section 3.2)."""

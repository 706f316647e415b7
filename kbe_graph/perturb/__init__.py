"""Changes to the appearance of a question and its picture that keep the answer (MDK12-Bench; VLB)."""

"""Changes how a question and its picture look while the answer stays (MDK12-Bench; VLB)."""

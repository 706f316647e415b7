"""Execution of long work in batches: in this process, in worker processes, or on a Ray cluster."""

"""Runs long work in batches: in this process, in worker processes, on several clients of a graph, on Ray."""

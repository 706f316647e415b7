"""Execution of long work in batches: in this process, in worker processes, on several clients of a graph, or on Ray."""

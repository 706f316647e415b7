"""Turns a static visual question answering benchmark into one that keeps up with the models."""

__version__ = "0.1.0"

"""The Cypher statements, one a file."""

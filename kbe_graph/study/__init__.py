"""The form of an item that people judge, sheets for people, and what they answered."""

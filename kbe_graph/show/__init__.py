"""What people see: a report, its tables and charts, and questions, samples and counts in a terminal or a notebook."""

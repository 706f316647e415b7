"""From pages of Wikipedia to questions: pictures, items, statements, and what is asked of them."""

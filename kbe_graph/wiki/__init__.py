"""The line from Wikipedia to questions: pictures of pages, their items on Wikidata, and what follows from these."""

// kind: write
// Links guesses to the question that they are of.
// parameter rows: subject (guess id), object (question id)
UNWIND $rows AS row
MATCH (guess:Guess {id: row.subject})
MATCH (question:Question {id: row.object})
MERGE (guess)-[:GUESS_OF]->(question)

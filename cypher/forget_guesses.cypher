// kind: write
// Takes the guesses that a run made at questions out of the graph; those of other runs at a raw question stay.
// parameter rows: id (question id), run (a run's name; where it is left out, the run that the question belongs to)
UNWIND $rows AS row
MATCH (question:Question {id: row.id})<-[:GUESS_OF]-(guess:Guess)
WHERE guess.run = coalesce(row.run, question.run)
DETACH DELETE guess

// kind: write
// Takes some of the guesses of a run out of the graph.
// parameter run: a run's name
// parameter most: how many at once
// column count: how many were taken
MATCH (guess:Guess {run: $run})
WITH guess LIMIT $most
DETACH DELETE guess
RETURN count(*) AS count

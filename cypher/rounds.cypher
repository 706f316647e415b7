// kind: read
// The rounds of a run, or of the run that it came of by rounds.
// reads: every round
// parameter run: a run's name
// column round: the properties of the node
MATCH (own:Round)
WHERE own.run = $run OR own.makes = $run
WITH DISTINCT own.run AS run
MATCH (round:Round)
WHERE round.run = run
RETURN properties(round) AS round

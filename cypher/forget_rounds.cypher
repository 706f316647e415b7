// kind: write
// Takes the rounds on runs out of the graph, and those that asked the questions of one.
// reads: every round
// parameter names: names of runs
MATCH (round:Round)
WHERE round.run IN $names OR round.asks IN $names OR round.makes IN $names
DETACH DELETE round

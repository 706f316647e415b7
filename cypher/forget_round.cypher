// kind: write
// Takes a round out of the graph, which is about to be saved anew.
// parameter id: the round's id
MATCH (round:Round {id: $id})
DETACH DELETE round

// kind: write
// Takes those of the given literals out of the graph that no statement leads to.
// parameter ids: literal ids
UNWIND $ids AS id
MATCH (literal:Literal {id: id})
WHERE NOT EXISTS { (literal)<-[:STATEMENT]-() }
DETACH DELETE literal

// kind: write
// Takes those of the given terms out of the graph that no entity is linked to.
// parameter names: folded names
UNWIND $names AS name
MATCH (term:Term {name: name})
WHERE NOT EXISTS { (term)<-[:IS]-(:Entity) }
DETACH DELETE term

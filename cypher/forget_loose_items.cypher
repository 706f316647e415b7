// kind: write
// Takes those of the given items out of the graph that were never fetched and that nothing names.
// parameter ids: item ids
UNWIND $ids AS id
MATCH (item:Item {id: id})
WHERE item.fetched IS NULL AND NOT EXISTS { (item)<-[:STATEMENT]-() } AND NOT EXISTS { (item)<-[:ABOUT]-() }
DETACH DELETE item

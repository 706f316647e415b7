// kind: write
// Takes the statements of items out of the graph.
// parameter ids: item ids
UNWIND $ids AS id
MATCH (:Item {id: id})-[statement:STATEMENT]->()
DELETE statement

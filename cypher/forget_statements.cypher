// kind: write
// Takes statements out of the graph, whichever item they are of: an item that was merged into another leaves them there.
// parameter ids: statement ids
MATCH ()-[statement:STATEMENT]->()
WHERE statement.id IN $ids
DELETE statement

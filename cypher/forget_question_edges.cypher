// kind: write
// Takes the key edges of questions, and the textual triplets they added, out of the graph.
// parameter rows: id (question id), sample
UNWIND $rows AS row
MATCH (subject:Entity {sample: row.sample})
WITH row, subject
MATCH (subject)-[edge:KEY|TEXTUAL]->(:Entity)
WHERE edge.question = row.id
DELETE edge

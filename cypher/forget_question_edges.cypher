// kind: write
// Takes the key edges of questions, and the textual triplets they added, out of the graph.
// parameter rows: id (question id), sample
UNWIND $rows AS row
MATCH (:Entity {sample: row.sample})-[edge:KEY|TEXTUAL]->(:Entity)
WHERE edge.question = row.id
DELETE edge

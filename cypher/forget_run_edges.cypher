// kind: write
// Takes the key edges of a run, and the textual triplets that it explored, out of the graphs of samples.
// The entities are gathered first, so that no engine begins from all edges of a kind.
// parameter samples: sample ids
// parameter run: the run's name
UNWIND $samples AS sample
MATCH (subject:Entity {sample: sample})
WITH collect(subject) AS subjects
UNWIND subjects AS subject
MATCH (subject)-[edge:KEY|TEXTUAL|DRAFT]->(:Entity)
WHERE edge.run = $run
DELETE edge

// kind: write
// Takes what came of the parts of a stage out of the graph.
// parameter work: which work
// parameter stage: a stage of it
MATCH (part:Part {work: $work})
WHERE part.stage = $stage
SET part.content = ''

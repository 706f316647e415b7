// kind: read
// The parts of shared work that are done, for another graph.
// column id: the part's id
// column work: which work
// column stage: which stage of it
// column shards: how many shards the work was cut into
// column content: what came of it, as text
MATCH (part:Part)
WHERE part.done
RETURN part.id AS id, part.work AS work, part.stage AS stage, part.shards AS shards, part.content AS content
